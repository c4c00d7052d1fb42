/* Formulas that are wider than the place they stand in are drawn smaller, so that none is cut off or scrolls. */
(function () {
  "use strict";
  const SMALLEST = 0.4;

  function room(formula) {
    if (formula.hasAttribute("display")) return formula.clientWidth;
    let box = formula.parentElement;
    while (box.parentElement && getComputedStyle(box).display.startsWith("inline")) box = box.parentElement;
    const style = getComputedStyle(box);
    return box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  }

  function fit() {
    const all = [...document.querySelectorAll("article mjx-container")];
    all.forEach((one) => {
      if (one.dataset.size !== undefined) one.style.fontSize = one.dataset.size;
    });
    const sizes = all.map((one) => {
      const wide = one.hasAttribute("display") ? one.scrollWidth : one.getBoundingClientRect().width;
      return { one, wide, room: room(one), size: parseFloat(getComputedStyle(one).fontSize) };
    });
    sizes.filter((s) => s.room > 0 && s.wide > s.room + 0.5).forEach(({ one, wide, room, size }) => {
      if (one.dataset.size === undefined) one.dataset.size = one.style.fontSize;
      one.style.fontSize = `${size * Math.max(SMALLEST, (0.985 * room) / wide)}px`;
    });
  }

  let waiting = 0;
  function soon() {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(fit);
  }

  window.addEventListener("load", () => {
    if (!window.MathJax || !MathJax.startup || !MathJax.startup.promise) return;
    MathJax.startup.promise.then(() => {
      fit();
      window.addEventListener("resize", soon);
      document.addEventListener("toggle", soon, true);
      document.addEventListener("click", soon);
    });
  });
})();

/* One switch for the code of a page: off at first, remembered, and in the address (?code=on). The drawer of a link opens. */
(function () {
  "use strict";
  const page = document.documentElement;

  function show(on) {
    page.dataset.gbCode = on ? "on" : "off";
    document.querySelectorAll("article details.hide").forEach((cell) => (cell.open = on));
    document.querySelectorAll(".btn-code-switch").forEach((button) => button.setAttribute("aria-pressed", String(on)));
  }

  function open(drawer) {
    const bar = drawer && drawer.querySelector("button.toggle-button.toggle-button-hidden");
    if (bar) bar.click();
    if (drawer) drawer.scrollIntoView();
  }

  window.gbCode = function () {
    const on = page.dataset.gbCode !== "on";
    const address = new URL(location.href);
    if (on) address.searchParams.set("code", "on");
    else address.searchParams.delete("code");
    try {
      localStorage.setItem("gb-code", on ? "on" : "off");
      history.replaceState(null, "", address);
    } catch (error) { /* a page from a file has neither */ }
    show(on);
  };
  window.gbRun = () => open(document.getElementById("run-this-page"));

  /** What an address names and a fold hides is opened: the box itself, or the one that follows its anchor. */
  function openNamed() {
    const named = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = named && (named.closest(".toggle-hidden") || (named.nextElementSibling || named).closest(".toggle-hidden"));
    if (fold) open(fold);
  }

  /** Paper is white: a dark page is printed as a light one. */
  let before = null;
  matchMedia("print").addEventListener("change", ({ matches }) => {
    const page = document.documentElement.dataset;
    if (matches) [before, page.theme] = [page.theme, "light"];
    else if (before) page.theme = before;
  });

  document.addEventListener("DOMContentLoaded", () => {
    let asked = new URLSearchParams(location.search).get("code");
    try { asked = asked || localStorage.getItem("gb-code"); } catch (error) { /* not remembered */ }
    show(asked === "on");
  });
  window.addEventListener("load", () => { setTimeout(location.hash === "#run-this-page" ? window.gbRun : openNamed, 100); });
  window.addEventListener("hashchange", openNamed);
})();

/* A link to the page at other parameters leads to the section that is being read. */
(function () {
  "use strict";
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest(".gb-sets a");
    if (!link) return;
    const read = [...document.querySelectorAll("article section > section[id]")];
    const here = read.filter((one) => one.getBoundingClientRect().top < innerHeight / 3).pop();
    link.hash = here && scrollY > 0 ? here.id : "";
  }, true);
})();

/* A button names what it does: the policy of a page allows no script in an attribute (grokbook.build.policy). */
document.addEventListener("click", (event) => {
  const button = event.target.closest && event.target.closest("[data-press]");
  const known = ["gbCode", "gbRun", "print", "toggleFullScreen"];
  if (button && known.includes(button.dataset.press)) window[button.dataset.press]();
});
