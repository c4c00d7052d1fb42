// One recorded run under one slider: the plane of the strongest frequency, the spectrum of the embedding, and both
// accuracies at the chosen step. Everything drawn is in data-options; no library, no request.
// GrokbookRun.mount(element) draws it.
// needs drawing
"use strict";

window.GrokbookRun = window.GrokbookRun || (function () {
  const { node, whole, between, line, style } = window.GrokbookDraw;
  const STYLE = `
.gb-run p { margin: 0; } .gb-run .gb-panels { display: grid; gap: .4rem 1rem; align-items: end;
  grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); }
.gb-run .gb-ring { grid-row: 1 / 3; align-self: center; }
.gb-run .gb-key { color: var(--quiet); }
.gb-run svg { overflow: visible; } .gb-run .side { stroke: var(--quiet); fill: none; stroke-width: .8; }
.gb-run .dot { fill: var(--measure); } .gb-run .bar { fill: var(--quiet); } .gb-run .bar.strong { fill: var(--measure); }
.gb-run .now { stroke: var(--ink); stroke-dasharray: 4 3; }
.gb-run circle.train { fill: var(--train); } .gb-run circle.test { fill: var(--test); }
.gb-run svg text.train-name { fill: var(--train); stroke: none; font-weight: bold; }
.gb-run svg text.test-name { fill: var(--test); stroke: none; font-weight: bold; }
.gb-run input { width: 100%; margin: 0; min-height: 2.75rem; accent-color: var(--ink); touch-action: pan-y; }
.gb-run .gb-step { display: block; font-weight: 600; } .gb-run .gb-said { min-height: 2.8em; font-weight: 400; }
@media screen and (max-width: 560px) { .gb-run { padding: .5rem; } .gb-run .gb-panels { grid-template-columns: 1fr; }
  .gb-run .gb-ring { grid-row: auto; max-width: 17rem; width: 100%; margin: 0 auto; } }
@media print { .gb-run input { display: none; } }`;
  const RING = 300, WIDE = 360, BARS = 112, CURVES = 150, LEFT = 34, RIGHT = 8, TOP = 16, FOOT = 20;

  const percent = (thousandths) => `${(thousandths / 10).toFixed((thousandths > 10 && thousandths < 990) || thousandths === 1000 ? 0 : 1)} %`;

  /** The values of the run at frame `n`: its step, both accuracies, and the share of the marked frequencies. */
  function at(run, n) {
    const step = run.frames[n], place = run.steps.indexOf(step);
    const share = run.strong.reduce((sum, k) => sum + run.power[n][k - 1], 0);
    return { step, train: run.train[place], test: run.test[place], share };
  }

  /** What the network can do at a step, in a sentence. */
  function said(run, now) {
    const rest = `${percent(now.test)} of the pairs that it was never shown`;
    if (run.fit === null || now.step < run.fit) return `Learning by heart: it answers ${rest}.`;
    if (run.grok === null || now.step < run.grok) return `It knows its training pairs by heart, and ${rest}.`;
    return `It has found the rule: it answers ${rest}.`;
  }

  function view(parent, height, label, kind, width = WIDE) {
    const box = node("div", { class: kind }, parent);
    return node("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, box);
  }

  /** Of how many numbers along the ring one is named. */
  const apart = (run) => Math.ceil(run.p / 12);

  /** Points in the plane of one frequency, joined in the order of their angle; about twelve are named. */
  function makeRing(parent, id, run) {
    const picture = view(parent, RING, `Embedding in ${run.plane}`, "gb-ring", RING);
    const side = node("path", { class: "side" }, picture);
    const dots = run.order.map((i) => node("circle", { class: "dot", r: 3.2, "data-token": i }, picture));
    const named = run.order.filter((_, n) => n % apart(run) === 0);
    const names = named.map((i) => node("text", { "text-anchor": "middle" }, picture, i));
    side.id = `${id}-ring`;
    return (n) => {
      const flat = run.points[n], reach = RING / 2 - 16;
      const place = (i) => [RING / 2 + reach * flat[2 * i] / 1000, RING / 2 - reach * flat[2 * i + 1] / 1000];
      side.setAttribute("d", `${line(run.order.map(place))}Z`);
      run.order.forEach((i, m) => place(i).forEach((v, c) => dots[m].setAttribute(c ? "cy" : "cx", v.toFixed(1))));
      named.forEach((i, m) => {
        const [x, y] = place(i), far = Math.hypot(x - RING / 2, y - RING / 2) || 1;
        names[m].setAttribute("x", (x + 12 * (x - RING / 2) / far).toFixed(1));
        names[m].setAttribute("y", (y + 12 * (y - RING / 2) / far + 4).toFixed(1));
      });
    };
  }

  /** The share of each frequency in the power, on one scale for all steps. */
  function makeBars(parent, run) {
    const picture = view(parent, BARS, "Share of each frequency in the power of the embedding", "gb-bars");
    const most = Math.max(...run.power.map((row) => Math.max(...row))), count = run.power[0].length;
    const [low, foot] = [LEFT, BARS - FOOT], wide = (WIDE - LEFT - RIGHT) / count;
    node("text", { x: LEFT, y: 11 }, picture, `Share of power by frequency 1 to ${count}`);
    node("path", { class: "frame", d: `M${LEFT} ${TOP}V${foot}H${WIDE - RIGHT}` }, picture);
    node("text", { x: LEFT - 4, y: TOP + 10, "text-anchor": "end" }, picture, `${Math.round(most / 10)} %`);
    const bars = run.power[0].map((_, i) => node("rect", { class: run.strong.includes(i + 1) ? "bar strong" : "bar",
      x: (low + i * wide + 0.1 * wide).toFixed(2), width: (0.8 * wide).toFixed(2), "data-frequency": i + 1 }, picture));
    for (const k of run.strong.slice(0, 3)) {
      node("text", { x: low + (k - 0.5) * wide, y: BARS - 6, "text-anchor": "middle" }, picture, k);
    }
    return (n) => run.power[n].forEach((share, i) => {
      const top = between(share, [0, most], [foot, TOP]);
      bars[i].setAttribute("y", top.toFixed(2));
      bars[i].setAttribute("height", (foot - top).toFixed(2));
    });
  }

  /** Both accuracies of the whole run, with a marker at the chosen step. */
  function makeCurves(parent, id, run) {
    const picture = view(parent, CURVES, "Accuracy on training and test set over the run", "gb-curves");
    const last = run.steps[run.steps.length - 1], foot = CURVES - FOOT;
    const x = (step) => between(step, [0, last], [LEFT, WIDE - RIGHT]);
    const y = (accuracy) => between(accuracy, [0, 1000], [foot, TOP + 4]);
    node("path", { class: "frame", d: `M${LEFT} ${TOP}V${foot}H${WIDE - RIGHT}` }, picture);
    for (const level of [0, 1000]) {
      node("text", { x: LEFT - 4, y: y(level) + 4, "text-anchor": "end" }, picture, `${level / 10} %`);
    }
    node("text", { x: LEFT, y: CURVES - 5 }, picture, "0");
    node("text", { x: WIDE - RIGHT, y: CURVES - 5, "text-anchor": "end" }, picture, `step ${whole(last)}`);
    for (const name of ["train", "test"]) {
      const points = run.steps.map((step, i) => [x(step), y(run[name][i])]);
      node("path", { class: `curve ${name}`, d: line(points) }, picture);
    }
    const reached = (name, level) => x(run.steps.at(run[name].findIndex((value) => value >= level))); // the names stand off the rises
    node("text", { class: "train-name", x: reached("train", 950) + 8, y: y(1000) + 16 }, picture, "training accuracy");
    node("text", { class: "test-name", x: reached("test", 500) - 10, y: y(600), "text-anchor": "end" }, picture, "test accuracy");
    const now = node("line", { class: "now", id: `${id}-now`, y1: TOP, y2: foot }, picture);
    const marks = ["train", "test"].map((name) => node("circle", { class: name, r: 4.5 }, picture));
    return (n) => {
      const found = at(run, n), here = x(found.step).toFixed(1);
      now.setAttribute("x1", here);
      now.setAttribute("x2", here);
      ["train", "test"].forEach((name, i) => {
        marks[i].setAttribute("cx", here);
        marks[i].setAttribute("cy", y(found[name]).toFixed(1));
      });
    };
  }

  /** Draw the figure into an element; its data-options hold the run. */
  function mount(root) {
    if (root.dataset.mounted) return;
    root.dataset.mounted = "yes";
    style("gb-run", STYLE);
    const id = root.id, run = JSON.parse(root.dataset.options);
    const panels = node("div", { class: "gb-panels" }, root);
    const draws = [makeRing(panels, id, run), makeBars(panels, run), makeCurves(panels, id, run)];
    const label = node("label", { class: "gb-step", for: `${id}-slider` }, root);
    const slider = node("input", { type: "range", id: `${id}-slider`, min: 0, max: run.frames.length - 1, step: 1,
                                   autocomplete: "off" }, root);
    const words = node("p", { class: "gb-said", id: `${id}-said` }, root), every = apart(run);
    node("p", { class: "gb-key" }, root, `Along the ring one number in ${every} is named: the names advance by ` +
      `${run.order[every % run.p]} modulo ${run.p}.`);
    slider.value = run.begin;

    function update() {
      const n = Number(slider.value), now = at(run, n);
      draws.forEach((draw) => draw(n));
      const read = `Training step ${whole(now.step)} of ${whole(run.frames[run.frames.length - 1])}`;
      label.textContent = read;
      words.textContent = `${said(run, now)} The ${run.strong.length} marked frequencies hold ` +
        `${percent(now.share)} of the embedding's power.`;
      slider.setAttribute("aria-valuetext", `${read}: training accuracy ${percent(now.train)}, test accuracy ` +
        `${percent(now.test)}`);
      for (const [key, value] of Object.entries(now)) root.dataset[key] = value;
    }
    slider.addEventListener("input", update);
    update();
  }

  return { at, said, mount };
})();
