/* Formulas that are wider than the place they stand in are drawn smaller; one that were too small scrolls in itself. */
(function () {
  "use strict";
  const SMALLEST = { alone: 0.66, inText: 0.4 };

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
      if (one.classList.contains("gb-scrolls")) one.removeAttribute("tabindex");
      one.classList.remove("gb-scrolls");
    });
    const sizes = all.map((one) => {
      const wide = one.hasAttribute("display") ? one.scrollWidth : one.getBoundingClientRect().width;
      return { one, wide, room: room(one), size: parseFloat(getComputedStyle(one).fontSize) };
    });
    sizes.filter((s) => s.room > 0 && s.wide > s.room + 0.5).forEach(({ one, wide, room, size }) => {
      if (one.dataset.size === undefined) one.dataset.size = one.style.fontSize;
      const alone = one.hasAttribute("display"), fits = (0.985 * room) / wide;
      one.style.fontSize = `${size * Math.max(alone ? SMALLEST.alone : SMALLEST.inText, fits)}px`;
      if (alone && fits < SMALLEST.alone) {
        one.classList.add("gb-scrolls");
        one.tabIndex = 0;
      }
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
      document.addEventListener("gb-turned", soon);
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

  /** What an address has after `#`; where that is badly written, as in `#100%`, as it stands. */
  function named() {
    const text = location.hash.slice(1);
    try { return decodeURIComponent(text); } catch (error) { return text; }
  }

  /** What an address names and a fold hides is opened: the box itself, or the one that follows its anchor. */
  function openNamed() {
    const part = document.getElementById(named());
    const fold = part && (part.closest(".toggle-hidden") || (part.nextElementSibling || part).closest(".toggle-hidden"));
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
  document.addEventListener("gb-turned", () => show(page.dataset.gbCode === "on"));
})();

/* A link to the page at other parameters switches in place: the other page's parts stand where those of this one stood, and the
   section that is read stays where it is. Without scripts, from a file, and where the fetch fails, the link is followed. */
(function () {
  "use strict";
  const PARTS = ["article.bd-article", "#jb-print-toc", ".bd-toc-nav", ".dropdown-download-buttons ul", ".prev-next-area"];
  const seen = new Map();
  let shown = location.pathname, last = 0;

  const parts = (from) => PARTS.map((part) => [...from.querySelector(part).childNodes]);
  const read = () => [...document.querySelectorAll("article section > section[id]")]
    .filter((one) => one.getBoundingClientRect().top < innerHeight / 3).reverse();

  /** The parts of another page, its pictures and formulas drawn out of sight: they have their heights when they come. */
  async function load(address) {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    const other = new DOMParser().parseFromString(await answer.text(), "text/html");
    const nodes = parts(other).map((part) => part.map((node) => document.importNode(node, true)));
    const aside = document.createElement("div");
    Object.assign(aside.style, { position: "absolute", left: 0, width: "100%", height: 0, overflow: "hidden", visibility: "hidden" });
    aside.append(...nodes[0]);
    document.querySelector(PARTS[0]).after(aside);
    const drawn = [...aside.querySelectorAll("img:not([loading])")].map((one) => one.decode().catch(() => null));
    await Promise.race([Promise.all(drawn), new Promise((done) => setTimeout(done, 1500))]);
    if (window.MathJax && MathJax.typesetPromise) await MathJax.typesetPromise([aside]);
    aside.remove();
    return { title: other.title, nodes, scripts: [...aside.querySelectorAll("script:not([src]):not([type])")] };
  }

  /** What the page's own scripts do as it loads, for parts that have just come: explorables, folds, buttons. */
  function begin(scripts) {
    scripts.forEach((one) => {
      const again = document.createElement("script");
      again.textContent = one.textContent;
      one.replaceWith(again);
    });
    if (window.initToggleItems) window.initToggleItems();
    if (typeof addCopyButtonToCodeCells === "function") addCopyButtonToCodeCells();
  }

  async function turn(address, push) {
    const turned = (last += 1), path = new URL(address).pathname;
    const next = seen.get(path) || (await load(address));
    if (turned !== last) return;
    seen.set(shown, { title: document.title, nodes: parts(document) });
    history.scrollRestoration = "manual";
    if (push) history.pushState(null, "", address);
    const place = read().map((one) => ({ id: one.id, top: one.getBoundingClientRect().top }));
    PARTS.forEach((part, k) => document.querySelector(part).replaceChildren(...next.nodes[k]));
    [shown, document.title] = [path, next.title];
    if (next.scripts) begin(next.scripts);
    document.dispatchEvent(new Event("gb-turned"));
    const stay = () => {
      const { id, top } = place.find((one) => document.getElementById(one.id)) || {};
      if (id) scrollBy({ top: document.getElementById(id).getBoundingClientRect().top - top, behavior: "instant" });
    };
    stay();
    requestAnimationFrame(stay);
    if (push) document.querySelector(".gb-sets [aria-current]").focus({ preventScroll: true });
    if (window.bootstrap) bootstrap.ScrollSpy.getOrCreateInstance(document.body).refresh();
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest(".gb-sets a");
    if (!link) return;
    const [here] = read();
    link.hash = here && scrollY > 0 ? here.id : "";
    const other = event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (other || location.protocol === "file:" || link.pathname === shown) return;
    event.preventDefault();
    link.search = location.search;
    turn(link.href, true).catch(() => location.assign(link.href));
  }, true);
  window.addEventListener("popstate", () => {
    if (location.pathname !== shown) turn(location.href, false).catch(() => location.reload());
  });
})();

/* The search: its words are marked among the results and on no later page; a page from a file cannot read others for excerpts. */
(function () {
  "use strict";
  localStorage.removeItem("sphinx_highlight_terms");
  if (location.protocol !== "file:") return;
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  document.addEventListener("DOMContentLoaded", () => {
    const results = document.getElementById("search-results");
    const said = "Opened as a file, the search has no excerpts: they need a server, such as `grokbook serve`.";
    if (results) results.before(Object.assign(document.createElement("p"), { className: "gb-no-excerpts", textContent: said }));
  });
})();

/* Escape, and a link among the contents of the page, do what a click on the veil over the page does: they close its drawer. */
(function () {
  "use strict";
  function close() {
    [...document.querySelectorAll("label.overlay")].filter((veil) => veil.offsetWidth).forEach((veil) => veil.click());
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  document.addEventListener("click", (event) => { if (event.target.closest(".bd-sidebar-secondary a")) close(); });
})();

/* A button names what it does: the policy of a page allows no script in an attribute (companion.site.policy). */
document.addEventListener("click", (event) => {
  const button = event.target.closest && event.target.closest("[data-press]");
  const known = ["gbCode", "gbRun", "print", "toggleFullScreen"];
  if (button && known.includes(button.dataset.press)) window[button.dataset.press]();
});
