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
