// A page that trains: two small networks learn addition modulo p in the reader's browser, each seed in a Web Worker of its
// own. One table, one curve, one button; settings and the inside of the network fold. Settings come from data-options or
// from the address, which repeats a run; no library, no request.
// needs drawing
// needs training_core
"use strict";

window.GrokbookTraining = window.GrokbookTraining || (function () {
  const { node, whole, between, line, style } = window.GrokbookDraw, core = window.GrokbookTrainer(window.GrokbookNetworks());

  // ------------------------------------------------------------------ settings, and the address that holds them

  const PRIMES = [5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59];
  const CHOICES = {
    quadratic: { p: PRIMES, width: [16, 32, 64, 128, 256], loss: ["squared_error", "centred_squared_error"] },
    transformer: { p: PRIMES, width: [16, 32, 48, 64], loss: ["cross_entropy"] },
    any: { optimizer: ["Adam", "AdamW", "Sgd"], split: ["random", "symmetric"], pace: ["slow at first", "as fast as it can"],
           freeze: ["never", "start", "fitted"], hold: ["never", "start", "fitted"],
           given: ["nothing", "half", "finished", "shuffled"] },
  };
  const RANGES = { train_fraction: [0.05, 0.95], weight_decay: [0, 100], learning_rate: [1e-6, 100], seed: [0, 1e6],
                   n_seeds: [1, 4], steps: [1, 200000], temperature: [0.5, 4] };
  const CHECKS = ["decay_embedding", "decay_hidden", "decay_output", "beside"];
  CHECKS.forEach((name) => { RANGES[name] = [0, 1]; });
  const WHOLE = ["seed", "n_seeds", "steps", ...CHECKS];
  const WORDS = { quadratic: "two layers, squares", transformer: "one-layer transformer", squared_error: "squared error",
                  centred_squared_error: "squared error, centred", cross_entropy: "cross entropy",
                  Adam: "Adam, coupled decay", AdamW: "AdamW", Sgd: "descent, momentum 0.9",
                  never: "no", start: "from the start", fitted: "once 95 % are fitted", nothing: "no", half: "half way",
                  finished: "finished", shuffled: "finished, rows shuffled" };
  const { NONE } = core;
  const FIRST = { model: "quadratic", split: "random", seed: 0, n_seeds: 2, steps: 3000, pace: "slow at first", ...NONE, beside: 0 };
  const USUAL = {
    quadratic: { p: 23, width: 128, train_fraction: 0.4, optimizer: "Adam", loss: "squared_error" },
    transformer: { p: 23, width: 32, train_fraction: 0.7, optimizer: "AdamW", loss: "cross_entropy" },
  };
  const RATES = {
    quadratic: { Adam: [0.005, 0.00002], AdamW: [0.005, 2], Sgd: [3, 0.00005] },
    transformer: { Adam: [0.005, 0.0003], AdamW: [0.01, 1], Sgd: [0.2, 0.001] },
  };

  /** Settings that can be run: what is missing or out of range is replaced by the nearest that can. */
  function settled(given) {
    const model = Object.hasOwn(USUAL, given.model) ? given.model : FIRST.model, s = { ...FIRST, ...USUAL[model], ...given, model };
    for (const [name, list] of Object.entries({ ...CHOICES[model], ...CHOICES.any })) {
      if (typeof list[0] !== "number") s[name] = list.includes(s[name]) ? s[name] : USUAL[model][name] || list[0];
      else s[name] = list.reduce((a, b) => (Math.abs(b - s[name]) < Math.abs(a - s[name]) ? b : a), USUAL[model][name]);
    }
    [s.learning_rate, s.weight_decay] = ["learning_rate", "weight_decay"].map((name, k) =>
      (given[name] === undefined || given[name] === "" ? RATES[model][s.optimizer][k] : given[name]));
    for (const [name, [low, high]] of Object.entries(RANGES)) {
      const value = Number(s[name]), usual = { ...FIRST, ...USUAL[model] }[name] || low;
      s[name] = Math.min(high, Math.max(low, Number.isFinite(value) ? value : usual));
      if (WHOLE.includes(name)) s[name] = Math.round(s[name]);
    }
    return s;
  }

  /** Whether two settled settings are the same. */
  const same = (one, other) => Object.keys(one).every((name) => one[name] === other[name]);

  /** The settings and the dropped neurons (seed, or which of two runs, unit, step, on) as the part of an address after `#`. */
  function address(id, s, drops) {
    const text = drops.map((e) => [e.seed, e.unit, e.step, e.on ? 1 : 0].join(".")).join("_");
    const plain = (name) => (name in NONE || name === "beside") && s[name] === FIRST[name];
    const told = Object.fromEntries(Object.entries(s).filter(([name]) => !plain(name)));
    return `#${id}?${new URLSearchParams({ ...told, ...(text ? { drops: text } : {}) })}`;
  }

  function fromAddress(id, hash) {
    if (!hash.startsWith(`#${id}?`)) return null;
    const { drops = "", ...found } = Object.fromEntries(new URLSearchParams(hash.slice(id.length + 2)));
    for (const [name, value] of Object.entries(found)) if (value !== "" && !Number.isNaN(Number(value))) found[name] = Number(value);
    const list = drops.split("_").filter((one) => /^\d+\.\d+\.\d+\.[01]$/.test(one)).map((one) => one.split(".").map(Number));
    return { settings: settled(found), drops: list.map(([seed, unit, step, on]) => ({ seed, unit, step, on: !!on })) };
  }

  // ------------------------------------------------------------------ runs behind the page

  /** A worker that serves a run, from the text of the core; where workers are refused, the same loop on this thread. */
  function worker(listen) {
    try {
      const text = `"use strict"; (${window.GrokbookTrainer})((${window.GrokbookNetworks})()).serve(self);`;
      const made = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
      made.onmessage = listen;
      return made;
    } catch {
      const port = { postMessage: (data) => listen({ data }) };
      core.serve(port);
      return { postMessage: (data) => port.onmessage({ data }), terminate: () => port.onmessage({ data: { going: false } }) };
    }
  }

  // ------------------------------------------------------------------ drawing

  const WIDE = 340, LEFT = 40, RIGHT = 8, TOP = 18, FOOT = 20;
  const STYLE = `
.gb-train p { margin: .35rem 0; } .gb-train .gb-said { min-height: 2.8em; } .gb-train .gb-key { color: var(--quiet); }
.gb-train.gb-begun { border: 0; padding: 0; } .gb-train { scroll-margin-top: 3.5rem; }
.gb-train .gb-row button[aria-pressed=true] { border-color: var(--test); box-shadow: inset 0 0 0 1px var(--test); }
.gb-train :is(select, input) { font: inherit; color: inherit; background: transparent; }
.gb-train select option { color: #111; background: #fff; }
.gb-train .gb-both { display: grid; grid-template-columns: 1fr 1fr; gap: .4rem 1.2rem; align-items: end; }
.gb-train .gb-both svg { cursor: ew-resize; touch-action: pan-y; overflow: visible; } .gb-train .gb-both svg text { font-size: 11px; }
.gb-train .wait { fill: none; stroke: var(--ink); stroke-width: 1.2; }
.gb-train .gb-time { display: flex; gap: .3rem .9rem; align-items: center; margin: .2rem 0; font-weight: 600; }
.gb-train .gb-time input { flex: 1; min-width: 8rem; min-height: 1.8rem; accent-color: var(--ink); }
.gb-train .gb-folds { display: flex; flex-wrap: wrap; gap: 0 1.6rem; } .gb-train .gb-folds [open] { flex-basis: 100%; }
.gb-train .gb-settings { display: grid; grid-template-columns: repeat(auto-fill, minmax(11.5rem, 1fr)); gap: .4rem .7rem; }
.gb-train .gb-settings label { display: block; margin: 0; } .gb-train .gb-settings :is(select, input) { width: 100%;
  min-height: 2.2rem; border: 1px solid var(--quiet); border-radius: 4px; padding: .1rem .3rem; box-sizing: border-box; }
.gb-train .gb-settings :is(input[type=checkbox], input[type=range]) { min-height: 1.6rem; padding: 0; }
.gb-train .gb-settings .gb-check { display: flex; gap: .5rem; align-items: center; min-height: 2.2rem; }
.gb-train .gb-settings .gb-check input { flex: none; width: 1.6rem; height: 1.6rem; margin: 0; }
.gb-train .curve.beside { stroke-dasharray: 4 3; stroke-width: 1.6; opacity: .9; }
.gb-train summary { cursor: pointer; padding: .3rem 0; min-height: 1.5rem; }
.gb-train .gb-charts { display: grid; gap: .6rem 1rem; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr)); }
.gb-train canvas { display: block; width: 100%; max-width: 24rem; height: auto; margin: 0 auto; }
.gb-train .measure { stroke: var(--measure); } .gb-train .mirrored { stroke: var(--second); }
.gb-train .before { stroke: var(--quiet); stroke-dasharray: 5 4; }
.gb-train .curve { stroke-width: 1.1; opacity: .55; } .gb-train .curve.chosen { stroke-width: 2.4; opacity: 1; }
.gb-train .bar { fill: var(--measure); } .gb-train svg .name { font-weight: bold; }
.gb-train svg text { paint-order: stroke; stroke: var(--pst-color-background, Canvas); stroke-width: 3px; }
.gb-train .name.train { fill: var(--train); } .gb-train .name.test { fill: var(--test); }
.gb-train .name.mirrored { fill: var(--second); } .gb-train .name.before { fill: var(--quiet); }
.gb-train .gb-clocks { display: grid; grid-template-columns: repeat(auto-fill, minmax(32px, 1fr)); gap: 2px; }
.gb-train .gb-clocks button { padding: 0; border: 1px solid transparent; border-radius: 4px; cursor: pointer; min-width: 0;
  aspect-ratio: 1; touch-action: manipulation; font: inherit; color: inherit; background: transparent; }
.gb-train .gb-clocks button[aria-pressed=true] { border-color: var(--test); }
.gb-train .gb-clocks svg { stroke-linecap: round; } .gb-train .gb-clocks svg text { font: 9px sans-serif; stroke: none; }
.gb-train .gb-clocks circle { fill: none; stroke: var(--quiet); } .gb-train .gb-clocks circle.answer { fill: var(--measure);
  stroke: none; } .gb-train .first-hand { stroke: var(--train); stroke-width: 2; }
.gb-train .second-hand { stroke: var(--second); stroke-width: 2; } .gb-train .cross { stroke: var(--test); stroke-width: 2.4; }
.gb-train p:has(.gb-link) { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; } .gb-train a.gb-link { color: var(--train); }
.gb-train.gb-large { font-size: clamp(1.1rem, 1.7vw, 1.9rem); border: 0; padding: 0; }
.gb-train.gb-large :is(details, p:has(.gb-link)) { display: none; } .gb-train.gb-large canvas { max-width: min(100%, 62vh); }
.gb-train.gb-large .gb-both svg { width: min(100%, 58vh); margin: 0 auto; }
.gb-train.gb-large .gb-row button { padding: .5rem 1.2rem; min-height: 3rem; }
.gb-train.gb-story .gb-both { grid-template-columns: 1fr 1fr .72fr; } .gb-story .gb-said { grid-column: 1 / -1; }
.gb-train .gb-ring { cursor: auto !important; } .gb-ring .joined { fill: none; stroke: var(--quiet); opacity: .55; }
.gb-train.gb-story .gb-both svg text { font-size: 15px; } .gb-train.gb-story .gb-both svg.gb-ring text { font-size: 17px; }
.gb-ring .number { fill: var(--measure); } .gb-train.gb-story [data-act=decay] { display: none; }
@media screen and (max-width: 560px) { .gb-train { padding: .5rem; }
  .gb-train .gb-both { gap: .4rem .6rem; grid-template-columns: 5fr 7fr; }
  .gb-train .gb-both svg text { font-size: 14px; }
  .gb-train.gb-story .gb-both { grid-template-columns: 5fr 7fr; }
  .gb-story .gb-said { grid-column: auto; order: 1; align-self: start; min-height: 0; }
  .gb-train.gb-story .gb-both svg text { font-size: 14px; } .gb-train.gb-story .gb-both svg.gb-ring text { font-size: 22px; }
  .gb-story .gb-ring { max-height: 6.5rem; } }
@media screen and (max-width: 360px) { .gb-train.gb-story .gb-both { grid-template-columns: 1fr 2fr; } }
@media screen and (max-width: 1199px) { .gb-story :is(.gb-time, .gb-key, .gb-folds, p:has(.gb-link)) { display: none; } }
@media screen and (max-width: 360px) { .gb-train .gb-both { grid-template-columns: 1fr; } }
@media print { .gb-train :is(.gb-row, .gb-time, details) { display: none; } }`;

  const percent = (share) => (share === null ? "none" : `${Math.floor(100 * share)} %`);
  const short = (value) => (value === 0 ? "0" : value >= 0.01 && value < 1e4 ? String(Number(value.toPrecision(2)))
    : value.toExponential(0).replace("e+", "e"));

  /** The table of a run, row a and column a + b mod p: filled if answered rightly, framed if trained. */
  function paintTable(canvas, p, { kinds, now }) {
    const side = Math.max(7, Math.floor(460 / p)), context = canvas.getContext("2d"), look = getComputedStyle(canvas);
    const [train, test, quiet] = ["--train", "--test", "--quiet"].map((name) => look.getPropertyValue(name).trim());
    if (canvas.width !== side * p) canvas.width = canvas.height = side * p;
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.lineWidth = 1.4;
    for (let cell = 0; cell < p * p; cell++) {
      const a = Math.floor(cell / p), x = ((a + cell) % p) * side + 1.5, y = a * side + 1.5, wide = side - 3;
      const trained = kinds[cell] === 2, right = now.right[cell];
      context.globalAlpha = right ? 1 : trained ? 0.9 : 0.25;
      context.fillStyle = context.strokeStyle = trained ? train : right ? test : quiet;
      if (right) context.fillRect(x, y, wide, wide);
      else context.strokeRect(x + 0.7, y + 0.7, wide - 1.4, wide - 1.4);
    }
    context.globalAlpha = 1;
  }

  /** A frame with a title over its axes; the names of curves stand beside each other at the top. */
  function makeFrame(parent, title, lines, high, wide = WIDE) {
    const picture = node("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": title }, parent);
    const axis = (y) => node("text", { x: LEFT - 4, y, "text-anchor": "end" }, picture);
    node("text", { x: LEFT, y: 12 }, picture, title);
    node("path", { class: "frame", d: `M${LEFT} ${TOP}V${high - FOOT}H${wide - RIGHT}` }, picture);
    const inside = node("g", {}, picture); // below the names, so that no curve crosses one
    let x = LEFT + 6;
    for (const [, kind, name] of lines.filter(([, , name]) => name)) {
      node("text", { class: `name ${kind}`, x, y: TOP + 12 }, picture, name);
      x += 7 * name.length + 14;
    }
    return { picture, foot: high - FOOT, high: axis(TOP + 24), low: axis(high - FOOT), inside };
  }

  /** What grokking is, on the chart of the accuracies: the steps between knowing by heart and knowing the rule. */
  function drawWait(parent, { curve }, x, at) {
    const [fit, rule] = ["train", "test"].map((name) => core.reached(curve, name)), end = rule !== null ? rule : curve.length && curve.at(-1).step;
    if (fit === null || x(end) - x(fit) < 12) return;
    const tip = rule === null ? "" : `M${x(end)} ${at - 4}v8`;
    node("path", { class: "wait", d: `M${x(fit)} ${at - 4}v8m0 -4H${x(end)}${tip}` }, parent);
    const words = [rule === null ? "still waiting:" : "a wait of", `${whole(end - fit)} steps`];
    if (rule === null || x(end) - x(fit) > 80) words.forEach((word, k) => node("text", { x: x(fit) + 8, y: at + 16 + 14 * k }, parent, word));
  }

  /** A chart of curves over the logarithm of the step, up to `last`, for all runs; the chosen one is thick. With `seek` the
   *  wait is told, and a pointer over the chart calls it with a step; a line stands `at` the step that is shown. */
  function makeChart(parent, title, lines, { log = false, top = null, high = 150, wide = WIDE, seek = null } = {}) {
    const frame = makeFrame(parent, title, lines, high, wide), { foot, inside, picture } = frame, ends = [LEFT, wide - RIGHT];
    let furthest = 10;
    if (seek) ["pointerdown", "pointermove"].forEach((kind) => picture.addEventListener(kind, (event) => {
      const { left, width } = picture.getBoundingClientRect();
      seek(10 ** between(wide * (event.clientX - left) / width, ends, [0, Math.log10(furthest)]));
    }));
    return (runs, chosen, last, before, at = null) => {
      const values = runs.flatMap((run) => run.curve.flatMap((point) => lines.map(([name]) => point[name])));
      const seen = values.filter((value) => value !== null && value > 0);
      const least = log ? Math.max(1e-12, Math.min(1e300, ...seen)) : 0, most = top === null ? Math.max(...seen, least * 10 || 1e-9) : top;
      const scale = log ? Math.log10 : (value) => value;
      furthest = Math.max(last, 10);
      const x = (step) => between(Math.log10(Math.max(step, 1)), [0, Math.log10(furthest)], ends);
      const y = (value) => between(scale(Math.max(value, least)), [scale(least), scale(most)], [foot, TOP + 20]);
      [frame.high.textContent, frame.low.textContent] = top === null ? [short(most), short(least)] : ["100 %", "0"];
      inside.replaceChildren();
      for (let step = 1; step <= last; step *= 10) {
        node("text", { x: x(step), y: high - 5, "text-anchor": step === 1 ? "start" : "middle" }, inside, whole(step));
      }
      const draw = (curve, name, kind) => {
        const points = curve.filter((point) => point[name] !== null).map((point) => [x(point.step), y(point[name])]);
        if (points.length) node("path", { class: `curve ${kind}`, d: line(points) }, inside);
      };
      const past = (before || []).filter((point) => point.step <= last && point.test !== null);
      if (past.length) {
        draw(past, "test", "before chosen");
        const { step, test } = past.find((point) => point.test > 0.5) || past.at(-1); // its name stands left of its rise
        const place = { x: Math.max(x(step) - 6, LEFT + 100), y: y(Math.min(0.5, Math.max(0.15, test))), "text-anchor": "end" };
        node("text", { class: "name before", ...place }, inside, "the run before");
      }
      runs.forEach((run, r) => lines.forEach(([name, kind]) =>
        draw(run.curve, name, `${kind}${r === chosen ? " chosen" : ""}${run.s.beside && r ? " beside" : ""}`)));
      if (seek) drawWait(inside, runs[chosen], x, TOP + 34);
      if (at !== null) node("path", { class: "frame", d: `M${x(at)} ${TOP + 20}V${foot}` }, inside);
    };
  }

  /** The share of the neurons' power in the strongest frequency of each, in the second, and so on. */
  function makeRanks(parent) {
    const { foot, high, low, inside } = makeFrame(parent, "Power of a neuron: its strongest frequency, its second, ...", [], 150);
    [high.textContent, low.textContent] = ["100 %", "0"];
    return (shares) => {
      const wide = (WIDE - LEFT - RIGHT) / shares.length;
      inside.replaceChildren();
      shares.forEach((share, k) => {
        const top = between(share, [0, 1], [foot, TOP + 20]);
        node("rect", { class: "bar", x: LEFT + (k + 0.1) * wide, width: 0.8 * wide, y: top, height: foot - top }, inside);
        if (shares.length < 16 || k % 5 === 0) {
          node("text", { x: LEFT + (k + 0.5) * wide, y: 145, "text-anchor": "middle" }, inside, k + 1);
        }
      });
    };
  }

  /** The numbers on the circle that is strongest in the first layer, each joined to its neighbours there. */
  function makeRing(parent) {
    const picture = node("svg", { viewBox: "0 0 170 190", role: "img", class: "gb-ring" }, parent);
    node("text", { x: 85, y: 12, "text-anchor": "middle" }, picture, "Its numbers");
    const inside = node("g", {}, picture);
    return ({ frequency, share, points }, p) => {
      const far = Math.max(...points.map(([x, y]) => Math.hypot(x, y)), 1e-12);
      const places = points.map(([x, y]) => [85 + 74 * x / far, 106 - 74 * y / far]), order = points.map((_, i) => i);
      order.sort((a, b) => (a * frequency) % p - (b * frequency) % p);
      const shown = [...order, order[0]].map((i) => places[i]);
      inside.replaceChildren();
      node("path", { class: "joined", d: line(shown) }, inside);
      places.forEach(([x, y]) => node("circle", { class: "number", cx: x, cy: y, r: 4 }, inside));
      picture.setAttribute("aria-label", `The ${p} numbers as the first layer stores them, in the plane of their strongest circle, ` +
        `which holds ${percent(share)} of its power.`);
    };
  }

  /** Neurons as clocks: each a button that drops it; one tab stop, arrow keys lead to the others. */
  function makeClocks(parent, act) {
    const grid = node("div", { class: "gb-clocks", role: "group", "aria-label": "neurons" }, parent), all = [];
    const hand = (picture, kind, length) => node("line", { class: kind, x1: 15, y1: 15, x2: 15 + length, y2: 15 }, picture);
    function make(k) {
      const button = node("button", { type: "button", tabindex: k ? -1 : 0, "data-unit": k }, grid);
      const picture = node("svg", { viewBox: "0 0 30 30", "aria-hidden": "true" }, button);
      node("circle", { cx: 15, cy: 15, r: 13 }, picture);
      const one = { button, picture, hands: [hand(picture, "first-hand", 11), hand(picture, "second-hand", 8)] };
      one.answer = node("circle", { class: "answer", cx: 28, cy: 15, r: 2.4 }, picture);
      one.text = node("text", { x: 15, y: 27, "text-anchor": "middle" }, picture);
      one.cross = node("path", { class: "cross", d: "M5 5L25 25M25 5L5 25", visibility: "hidden" }, picture);
      button.addEventListener("click", () => act.drop(k));
      button.addEventListener("keydown", (event) => move(event, k));
      return one;
    }
    function move(event, k) {
      const row = Math.max(1, all.filter(({ button }) => button.offsetTop === all[0].button.offsetTop).length);
      const next = all[k + ({ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -row, ArrowDown: row }[event.key] || NaN)];
      if (event.key.startsWith("Arrow")) event.preventDefault();
      if (!next) return;
      all.forEach(({ button }) => button.setAttribute("tabindex", -1));
      next.button.setAttribute("tabindex", 0);
      next.button.focus();
    }
    return (clocks, keep) => {
      if (all.length !== clocks.length) {
        grid.replaceChildren();
        all.splice(0, all.length, ...clocks.map((_, k) => make(k)));
      }
      const most = Math.max(...clocks.map((clock) => clock[5]), 1e-300);
      clocks.forEach(([frequency, share, first, second, answer, power], k) => {
        const { button, picture, hands, answer: dot, text, cross } = all[k];
        const turn = (angle) => `rotate(${(-180 * angle / Math.PI).toFixed(1)} 15 15)`;
        [first, second, answer].forEach((angle, n) => [...hands, dot][n].setAttribute("transform", turn(angle)));
        picture.setAttribute("opacity", (0.15 + 0.85 * Math.sqrt(power / most)).toFixed(2));
        text.textContent = frequency;
        cross.setAttribute("visibility", keep[k] ? "hidden" : "visible");
        button.setAttribute("aria-pressed", !keep[k]);
        button.setAttribute("aria-label", `drop neuron ${k}: frequency ${frequency}, ${percent(share)} of its power`);
      });
    };
  }

  // ------------------------------------------------------------------ controls

  /** A part that unfolds. */
  function fold(parent, title) {
    const box = node("details", {}, parent);
    node("summary", {}, box, title);
    return box;
  }

  const LABELS = { model: "Network", p: "Modulus p", width: "Width", train_fraction: "Share trained", split: "Split",
                   optimizer: "Optimiser", learning_rate: "Learning rate", weight_decay: "Weight decay", loss: "Loss",
                   seed: "First seed", n_seeds: "Seeds side by side", steps: "Last step", pace: "Pace" };
  const INTERVENTIONS = { given: "First layer of another run", freeze: "Freeze the embedding", hold: "Hold the norm of all weights", temperature: "Temperature T = ",
                          decay_embedding: "Decay on the embedding", decay_hidden: "Decay on hidden weights",
                          decay_output: "Decay on the output", beside: "The run without, beside it" };

  /** The field of a setting: a list, a number, a slider or a box to tick. */
  function makeField(grid, id, name, text) {
    const range = RANGES[name], check = CHECKS.includes(name), slider = name === "temperature";
    const label = node("label", { for: `${id}-${name}`, class: check ? "gb-check" : "" }, grid, check ? "" : text);
    const kind = check ? "checkbox" : slider ? "range" : "number", step = slider ? 0.1 : WHOLE.includes(name) ? 1 : "any";
    const about = check ? { type: kind } : range ? { type: kind, min: range[0], max: range[1], step } : {};
    const value = slider ? node("span", {}, label) : null;
    const field = node(range ? "input" : "select", { ...about, id: `${id}-${name}`, "data-setting": name, autocomplete: "off" }, label);
    const tell = () => { if (value) value.textContent = field.value; };
    if (check) node("span", {}, label, text);
    field.addEventListener("input", tell);
    return { field, get: () => (check ? Number(field.checked) : field.value), set: (to) => {
      if (check) field.checked = !!to;
      else if (!slider || !field.matches(":active")) field.value = to;
      tell();
    } };
  }

  /** Fields for settings by label; `change(name, value)` is called with what a reader chooses. */
  function makeSettings(box, id, labels, change) {
    const grid = node("div", { class: "gb-settings" }, box), fields = {};
    for (const [name, text] of Object.entries(labels)) {
      fields[name] = makeField(grid, id, name, text);
      fields[name].field.addEventListener("change", () => change(name, fields[name].get()));
    }
    return (s) => {
      for (const [name, { field, set }] of Object.entries(fields)) {
        const list = name === "model" ? Object.keys(USUAL) : CHOICES[s.model][name] || CHOICES.any[name];
        if (list && field.dataset.list !== String(list)) {
          field.replaceChildren(...list.map((value) => node("option", { value }, null, WORDS[value] || value)));
          field.dataset.list = String(list);
        }
        set(s[name]);
      }
      if (fields.decay_hidden) fields.decay_hidden.field.disabled = s.model === "quadratic";
      if (fields.n_seeds) fields.n_seeds.field.disabled = !!s.beside;
    };
  }

  /** Buttons by name in a row. */
  function makeButtons(parent, names, act) {
    const row = node("div", { class: "gb-row" }, parent);
    return Object.fromEntries(Object.entries(names).map(([name, text]) => {
      const made = node("button", { type: "button", "data-act": name, class: name === "train" ? "first" : "" }, row, text);
      made.addEventListener("click", () => act[name]());
      return [name, made];
    }));
  }

  /** What is done to a run, in words: no decay, or decay on some layers; what is frozen or held now; the temperature. */
  function done(s, now) {
    const layers = ["embedding", "hidden", "output"].filter((name) => name !== "hidden" || s.model !== "quadratic");
    const on = layers.filter((name) => s.weight_decay && s[`decay_${name}`]);
    const since = (when) => (when === "start" ? "from the start" : now.fitted === null ? "once fitted" : `from step ${whole(now.fitted)}`);
    const given = { nothing: "", half: "a first layer given half way", finished: "a finished first layer given",
                    shuffled: "a finished first layer given with its rows shuffled" };
    return [given[s.given], on.length === layers.length ? "" : on.length ? `decay on ${on.join(" and ")} alone` : "no weight decay",
            s.freeze === "never" ? "" : `embedding frozen ${since(s.freeze)}`, s.hold === "never" ? "" : `norm held ${since(s.hold)}`,
            s.temperature === 1 ? "" : `T = ${s.temperature}`].filter(Boolean);
  }

  /** What a run can do, in a sentence; the test set is all pairs that were not trained. */
  function sentence({ curve, now, s }) {
    const [fit, rule] = ["train", "test"].map((name) => core.reached(curve, name)).map((at) => (at !== null && at <= now.step ? at : null));
    if (s.given !== "nothing" && now.step === 0) return "The network that hands its first layer over is trained before this one.";
    const who = `Step ${[whole(now.step), ...done(s, now)].join(", ")}:`;
    if (fit === null) return `${who} it answers ${percent(now.train)} of its training pairs and ${percent(now.test)} of the held-out pairs.`;
    if (rule === null) return `${who} it knows its training pairs by heart, and ${percent(now.test)} of the held-out pairs.`;
    if (now.test < 0.95) return `${who} it had found the rule at step ${whole(rule)}, and answers ${percent(now.test)} of the held-out pairs now.`;
    return `${who} it has found the rule. Training pairs are known from step ${whole(fit)}, held-out pairs from step ${whole(rule)}.`;
  }

  // ------------------------------------------------------------------ the whole

  /** Draw the page into an element; its data-options are settings, and `begin`, whether it begins to run by itself. */
  function mount(root) {
    if (root.dataset.mounted) return;
    root.dataset.mounted = "yes";
    style("gb-train", STYLE);
    const { begin, large, story, ...given } = JSON.parse(root.dataset.options || "{}"), id = root.id;
    const own = settled(given), linked = large ? null : fromAddress(id, location.hash);
    const state = { s: linked ? linked.settings : own, drops: linked ? linked.drops : [], runs: [], chosen: 0, going: false, before: null };
    const act = { drop, step, train: () => (over() ? restart() : 0, go(!state.going, true)), again: () => { restart(); if (begin) go(true); },
                  decay, reset };
    root.classList.toggle("gb-begun", !!begin);
    root.classList.toggle("gb-large", !!large);
    root.classList.toggle("gb-story", !!story);
    const buttons = makeButtons(root, { train: "Train", decay: "No weight decay", again: "Again" }, act);
    const top = story ? null : root, said = node("p", { class: "gb-said", id: `${id}-said` }, top), both = node("div", { class: "gb-both" }, root);
    const canvas = node("canvas", { role: "img" }, both), side = node("div", {}, both);
    if (story) both.prepend(said); // so that it can stand beside the circle on a phone
    const seeds = node("div", { class: "gb-row" }, side);
    const accuracy = makeChart(side, "Accuracy by step", [["train", "train", "training"], ["test", "test", "held out"]],
      { top: 1, high: 222, wide: 236, seek });
    const ring = story ? makeRing(both) : () => {};
    const time = node("input", { type: "range", min: 0, step: "any", id: `${id}-time`, autocomplete: "off" },
      node("label", { class: "gb-time" }, root, "Drag through its steps"));
    time.addEventListener("input", () => seek(10 ** time.value));
    const key = node("p", { class: "gb-key" }, root), keys = "A square is one pair; its row is a, its column the sum a + b. Blue: its answer is " +
      "shown. Grey: held out, and orange once answered right. Filled: answered right.";
    const folded = node("div", { class: "gb-folds" }, root);
    const folds = ["Settings", "Interventions", "Inside the network"].map((title) => fold(folded, title));
    const inside = folds[2], charts = node("div", { class: "gb-charts" }, inside);
    const curves = [
      makeChart(charts, "Loss", [["train_loss", "train", "training"], ["test_loss", "test", "held out"]], { log: true }),
      makeChart(charts, "Held out: its mirror image b + a is ...", [["mirrored", "mirrored", "trained"], ["unseen", "test", "held out"]], { top: 1 }),
      makeChart(charts, "MED of the embedding", [["med", "measure"]]),
      makeChart(charts, "|G_F|, gradient at the features", [["feature_gradient", "measure"]], { log: true }),
    ];
    const ranks = makeRanks(charts);
    node("p", { id: `${id}-clocks` }, inside, "Neurons as clocks: the number is the strongest frequency; hands: phase for the first operand " +
      "(long), for the second (short); dot: phase of what it adds to the answers. Click, or space, drops a neuron or puts it back.");
    const clocks = makeClocks(inside, act), settings = makeSettings(folds[0], id, LABELS, change);
    node("p", {}, folds[1], "What is set by hand, in a run that starts from the same numbers and trains on the same pairs.");
    const interventions = makeSettings(folds[1], id, INTERVENTIONS, (name, value) => { change(name, value); go(true); });
    makeButtons(folds[0], { step: "One step", reset: "First settings" }, act);
    const links = node("p", {}, root), link = node("a", { class: "gb-link" }, links, "Link that repeats this run");
    const book = document.documentElement.dataset.content_root;
    const lesson = book === undefined ? null : node("a", { class: "gb-link" }, links, "Large, and with a class");
    const live = node("p", { class: "gb-hidden", role: "status", "aria-live": "polite" }, root);
    let waiting = false, announced = "", drawn = 0;

    /** Show the table and the words of the logged point nearest to a step; at the end of the run, those of now. */
    function seek(step) {
      const { curve, now } = state.runs[state.chosen], far = (point) => Math.abs(Math.log((point.step + 1) / (step + 1)));
      const found = curve.reduce((best, point) => (far(point) <= far(best) ? point : best), now);
      state.at = found.step < now.step ? found : null;
      later();
    }

    function over() { return state.runs.every((run) => run.over); }

    const stop = (run) => run && run.worker && run.worker.terminate();

    /** A run that other settings replace goes on behind the new one, so that its curve is whole; the same again adds nothing. */
    function remember() {
      const last = state.runs[state.chosen];
      if (!last || !last.worker || JSON.stringify(last.asked) === JSON.stringify(state.s)) return;
      stop(state.before);
      state.before = last;
      last.worker.postMessage({ going: true });
    }

    function restart() {
      remember();
      state.runs.filter((run) => run !== state.before).forEach(stop);
      Object.assign(state, { going: false, at: null });
      seeds.replaceChildren();
      const { s } = state, count = s.beside ? 2 : s.n_seeds;
      state.chosen = s.beside && state.chosen > 1 ? 1 : Math.min(state.chosen, count - 1);
      state.runs = Array.from({ length: count }, (_, k) => {
        const run = { seed: s.beside ? k : s.seed + k, curve: [], events: [], worker: null, over: false, asked: s };
        run.name = s.beside ? ["With", "Without"][k] : `Seed ${run.seed}`;
        run.s = { ...s, ...(s.beside && k ? NONE : {}), seed: s.beside ? s.seed : run.seed };
        run.button = node("button", { type: "button", "data-seed": run.seed }, seeds, run.name);
        run.button.addEventListener("click", () => { Object.assign(state, { chosen: k, at: null }); later(); });
        const first = core.start({ ...run.s, given: "nothing" }), now = core.look(first); // a donor is trained by the worker
        state.drops.filter((e) => e.seed === run.seed && e.step === 0 && e.unit < first.net.units).forEach((e) => { first.keep[e.unit] = e.on ? 1 : 0; });
        return Object.assign(run, { now, kinds: first.kinds, ...core.neurons(first), ring: story && core.ring(first), keep: Array.from(first.keep), curve: [now] });
      });
      seeds.hidden = count === 1;
      later();
    }

    /** Start the workers of the runs that have none. */
    function ready(run) {
      if (run.worker) return;
      const drops = state.drops.filter((e) => e.seed === run.seed);
      run.events = drops;
      run.curve = [];
      run.worker = worker(({ data }) => {
        const { curve, events, ...rest } = data;
        run.curve.push(...curve);
        Object.assign(run, rest, { events: events.map((e) => ({ ...e, seed: run.seed })) });
        if (over()) state.going = false;
        later();
      });
      run.worker.postMessage({ start: run.s, steps: state.s.steps, events: drops, gentle: state.s.pace === "slow at first", ringed: !!story });
    }

    function go(going, asked = false) {
      Object.assign(state, { going, at: null });
      state.runs.forEach((run) => { ready(run); run.worker.postMessage({ going }); });
      if (asked && going && both.getBoundingClientRect().bottom > innerHeight) root.scrollIntoView();
      later();
    }

    function step() {
      state.going = false;
      state.runs.forEach((run) => { ready(run); run.worker.postMessage({ going: false, one: true }); });
    }

    function drop(unit) {
      const run = state.runs[state.chosen];
      ready(run);
      run.worker.postMessage({ drop: { unit, on: !run.keep[unit] } });
    }

    function change(name, value) {
      const number = name in RANGES || name === "p" || name === "width", next = { ...state.s, [name]: number && value !== "" ? Number(value) : value };
      if (name === "model") for (const other of ["p", "width", "loss", "optimizer", "train_fraction"]) delete next[other];
      if (name === "model" || name === "optimizer") for (const rate of ["learning_rate", "weight_decay"]) delete next[rate];
      state.s = settled(next);
      state.drops = [];
      restart();
    }

    /** Train without weight decay, or with what it was. */
    function decay() {
      const now = state.s.weight_decay;
      state.had = now || state.had;
      change("weight_decay", now ? 0 : state.had || "");
      go(true, true);
    }

    function reset() {
      Object.assign(state, { s: own, drops: [], chosen: 0 });
      restart();
    }

    /** Draw soon, at most about eight times a second while runs go on. */
    function later() {
      if (!waiting) setTimeout(() => requestAnimationFrame(draw), state.going ? 120 : 0);
      waiting = true;
    }

    function draw() {
      waiting = false;
      const { runs, chosen, s } = state, run = runs[chosen], shown = { ...run, now: state.at || run.now };
      drawn += 1;
      buttons.train.textContent = state.going ? "Pause" : "Train";
      buttons.decay.setAttribute("aria-pressed", String(s.weight_decay === 0));
      settings(s);
      interventions(s);
      runs.forEach((one, k) => one.button.setAttribute("aria-pressed", String(k === chosen)));
      paintTable(canvas, s.p, shown);
      time.max = Math.log10(Math.max(s.steps, 10));
      time.value = Math.log10(Math.max(shown.now.step, 1));
      key.textContent = s.beside ? `${keys} Dashed: the run without the intervention.` : keys;
      accuracy(runs, chosen, s.steps, s.beside || !state.before ? null : state.before.curve, state.at && state.at.step);
      ring(run.ring, s.p);
      if (inside.open && (!state.going || drawn % 2)) {
        curves.forEach((chart) => chart(runs, chosen, s.steps));
        ranks(run.ranks);
        clocks(run.clocks, run.keep);
      }
      said.textContent = `${runs.length > 1 ? `${run.name}. ` : ""}${sentence(shown)}`;
      canvas.setAttribute("aria-label", `Table of all pairs of ${s.p} numbers. ${said.textContent}`);
      link.href = address(id, s, runs.flatMap((one) => one.events));
      if (lesson) lesson.href = `${book}class.html${address("train", s, [])}`;
      const told = { step: run.now.step, train: run.now.train, test: run.now.test, keep: run.keep, settings: s, going: state.going,
                     med: run.now.med, gradient: run.now.feature_gradient, loss: run.now.train_loss, over: run.over, ranks: run.ranks };
      for (const [name, value] of Object.entries(told)) root.dataset[name] = JSON.stringify(value);
      const ends = runs.map((one) => ({ step: one.now.step, over: one.over, fit: core.reached(one.curve, "train"), rule: core.reached(one.curve, "test") }));
      root.dispatchEvent(new CustomEvent("gb-drawn", { detail: { settings: s, ends } }));
      document.querySelectorAll(`a[href^="#${id}?"]`).forEach((press) => {
        if (!root.contains(press)) press.setAttribute("aria-current", same(fromAddress(id, press.hash).settings, s));
      });
      const news = ["train", "test"].map((name) => core.reached(run.curve, name) !== null) + String(state.going);
      if (news !== announced) live.textContent = said.textContent;
      announced = news;
    }

    inside.addEventListener("toggle", later);
    folds[1].open = !!state.s.beside;
    document.querySelectorAll(`a[href$="#${id.replace(/-area$/, "")}"]`).forEach((one) => begin && one.addEventListener("click", () => {
      if (over()) restart();
      go(true);
      buttons.train.focus();
    }));
    document.addEventListener("click", (event) => { // a press: pressed again it runs again, and nothing scrolls
      const press = event.target.closest(`a[href^="#${id}?"]`);
      if (!press || root.contains(press)) return;
      event.preventDefault();
      history.replaceState(null, "", press.hash);
      follow();
    });
    if (linked) root.scrollIntoView();

    /** Run what the address names. */
    function follow() {
      const found = fromAddress(id, location.hash);
      if (!found) return;
      Object.assign(state, { s: found.settings, drops: found.drops });
      restart();
      go(true);
    }
    window.addEventListener("hashchange", follow);
    new MutationObserver(later).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    restart();
    const moves = begin && !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (linked || moves) setTimeout(() => state.going || go(true), linked ? 0 : 600);
  }

  return { ...core, CHOICES, RANGES, LABELS, settled, address, fromAddress, worker, mount };
})();
