// The first picture of the book: a small network that has already begun to learn, one table, one curve, one button.
// Rows are shifted so that a column is one sum: learning by heart fills cells anywhere, knowing a sum fills its column.
// needs drawing
// needs training_page
"use strict";

window.GrokbookFirst = window.GrokbookFirst || (function () {
  const { node, whole, between, line, style } = window.GrokbookDraw, { settled, worker } = window.GrokbookTraining;
  const STYLE = `
.gb-first { border: 0; padding: 0; } .gb-first .gb-both { display: grid; grid-template-columns: 11fr 9fr; gap: .4rem 1.2rem;
  align-items: center; } .gb-first canvas { display: block; width: 100%; height: auto; }
.gb-first button { font: inherit; font-weight: 600; color: var(--pst-color-background, #fff); background: var(--ink);
  border: 0; border-radius: 6px; padding: .35rem 1rem; min-height: 2.4rem; min-width: 6.5rem; cursor: pointer; }
.gb-first button:focus-visible { outline: 3px solid var(--test); outline-offset: 2px; }
.gb-first p { margin: .35rem 0; } .gb-first .gb-said { font-weight: 600; min-height: 2.8em; }
.gb-first svg .name { font-weight: 600; } .gb-first .name.train { fill: var(--train); stroke: none; }
.gb-first .name.test { fill: var(--test); stroke: none; } .gb-first .gb-key { color: var(--quiet); }
@media screen and (max-width: 560px) { .gb-first .gb-both { grid-template-columns: 1fr; } .gb-first canvas { max-width: 19rem; } }`;
  const WIDE = 300, HIGH = 190, LEFT = 44, TOP = 16, FOOT = 168;

  /** The table, row a and column a + b mod p: filled if answered rightly, framed if trained. */
  function paint(canvas, p, kinds, right) {
    const side = Math.max(6, Math.floor(460 / p)), context = canvas.getContext("2d"), look = getComputedStyle(canvas);
    const [train, test, quiet] = ["--train", "--test", "--quiet"].map((name) => look.getPropertyValue(name).trim());
    if (canvas.width !== side * p) canvas.width = canvas.height = side * p;
    context.clearRect(0, 0, canvas.width, canvas.height);
    for (let cell = 0; cell < p * p; cell++) {
      const a = Math.floor(cell / p), x = ((a + cell) % p) * side + 1.5, y = a * side + 1.5, wide = side - 3;
      const trained = kinds[cell] === 2;
      context.globalAlpha = right[cell] ? 1 : trained ? 0.9 : 0.25;
      context.fillStyle = context.strokeStyle = trained ? train : right[cell] ? test : quiet;
      context.lineWidth = 1.4;
      if (right[cell]) context.fillRect(x, y, wide, wide);
      else context.strokeRect(x + 0.7, y + 0.7, wide - 1.4, wide - 1.4);
    }
    context.globalAlpha = 1;
  }

  const percent = (share) => `${Math.floor(100 * share)} %`;

  function sentence({ step, train, test }) {
    const known = train >= 0.99 ? "it knows its training pairs by heart" : `it knows ${percent(train)} of its training pairs`;
    return `Step ${whole(step)}: ${known}, and ${percent(test)} of the held-out pairs.`;
  }

  function mount(root) {
    if (root.dataset.mounted) return;
    root.dataset.mounted = "yes";
    style("gb-first", STYLE);
    const s = settled(JSON.parse(root.dataset.options || "{}")), both = node("div", { class: "gb-both" }, root);
    const canvas = node("canvas", { role: "img" }, both), side = node("div", {}, both);
    const chart = node("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": "Accuracy against the step" }, side);
    node("path", { class: "frame", d: `M${LEFT} ${TOP}V${FOOT}H${WIDE}` }, chart);
    [["100 %", TOP + 6], ["0", FOOT]].forEach(([text, y]) => node("text", { x: LEFT - 4, y, "text-anchor": "end" }, chart, text));
    node("text", { x: WIDE, y: HIGH - 6, "text-anchor": "end" }, chart, "step (logarithmic)");
    const curves = ["train", "test"].map((kind) => node("path", { class: `curve ${kind}` }, chart));
    node("text", { class: "name train", x: LEFT + 8, y: TOP + 22 }, chart, "training");
    node("text", { class: "name test", x: LEFT + 8, y: TOP + 40 }, chart, "held out");
    const said = node("p", { class: "gb-said" }, side), row = node("p", {}, side);
    const button = node("button", { type: "button", "data-act": "train" }, row, "Train");
    node("p", { class: "gb-key" }, root, "A column is one sum. Framed: trained. Filled: answered rightly.");
    const live = node("p", { class: "gb-hidden", role: "status", "aria-live": "polite" }, root);
    const state = { curve: [], going: false, over: false, latest: null };
    let port = null;

    function show() {
      const { now, kinds } = state.latest, x = (step) => between(Math.log10(Math.max(step, 1)), [0, Math.log10(s.steps)], [LEFT, WIDE]);
      paint(canvas, s.p, kinds, now.right);
      curves.forEach((path, k) => path.setAttribute("d", line(state.curve.map((point) =>
        [x(point.step), between(point[["train", "test"][k]], [0, 1], [FOOT, TOP])]))));
      said.textContent = sentence(now);
      canvas.setAttribute("aria-label", `Table of all pairs of ${s.p} numbers. ${said.textContent}`);
      button.textContent = state.going ? "Pause" : state.over ? "Again" : "Train";
      for (const [name, value] of Object.entries({ step: now.step, train: now.train, test: now.test, going: state.going })) {
        root.dataset[name] = JSON.stringify(value);
      }
      if (state.over && live.textContent !== said.textContent) live.textContent = said.textContent;
    }

    function restart() {
      if (port) port.terminate();
      Object.assign(state, { curve: [], going: false, over: false });
      port = worker(({ data }) => {
        state.curve.push(...data.curve);
        state.latest = data;
        state.over = data.over || data.now.test >= 0.999;
        if (state.over && state.going) go(false);
        show();
      });
      port.postMessage({ start: s, steps: s.steps, events: [], gentle: true });
    }

    function go(on) {
      state.going = on;
      port.postMessage({ going: on });
      if (state.latest) show();
    }

    button.addEventListener("click", () => {
      if (state.over) restart();
      go(!state.going);
    });
    new MutationObserver(() => state.latest && show()).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    restart();
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!still) setTimeout(() => state.going || go(true), 600);
  }

  return { mount };
})();
