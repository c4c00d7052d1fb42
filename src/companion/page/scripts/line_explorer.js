// Ten numbers that move towards a line, by the exact flow of the effective theory of Liu et al. 2022. A reader puts
// training pairs in and out; parallelograms, degrees of freedom, rate and motion change. No library, no request.
// needs drawing
"use strict";

window.GrokbookLine = window.GrokbookLine || (function () {
  const { node: svg, html, style } = window.GrokbookDraw;

  // ------------------------------------------------------------------ mathematics: pure functions of numbers

  const ZERO = 1e-9;
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const dot = (a, b) => sum(a.map((value, k) => value * b[k]));
  const size = (v) => Math.sqrt(dot(v, v));
  const unit = (p, ...at) => at.reduce((v, k) => { v[k] += 1; return v; }, Array(p).fill(0));

  /** The p (p + 1) / 2 samples (i, j), i <= j. */
  const samples = (p) =>
    Array.from({ length: p }, (_, i) => Array.from({ length: p - i }, (_, k) => [i, i + k])).flat();

  /** Pairs of different samples of one label. */
  function permissible(pairs) {
    const found = [];
    pairs.forEach((a, k) => pairs.slice(k + 1).forEach((b) => {
      if (a[0] + a[1] === b[0] + b[1]) found.push([a, b]);
    }));
    return found;
  }

  /** The equation E_i + E_j - E_m - E_n of a parallelogram as a row. */
  const equation = (p, [a, b]) => unit(p, ...a).map((value, k) => value - unit(p, ...b)[k]);

  /** A^T A of the parallelograms of a training set. */
  function gram(p, pairs) {
    const total = Array.from({ length: p }, () => Array(p).fill(0));
    for (const two of permissible(pairs)) {
      const row = equation(p, two);
      row.forEach((a, i) => { if (a) row.forEach((b, j) => { total[i][j] += a * b; }); });
    }
    return total;
  }

  /** Eigenvalues of a symmetric matrix in ascending order, with their unit vectors: Jacobi's rotations. */
  function eigen(matrix) {
    const n = matrix.length, a = matrix.map((row) => row.slice()), v = a.map((_, i) => unit(n, i));
    const scale = Math.max(1, ...a.flat().map(Math.abs));
    for (let sweep = 0; sweep < 60; sweep++) {
      if (Math.max(0, ...a.flatMap((row, i) => row.filter((_, j) => j > i).map(Math.abs))) < 1e-17 * scale) break;
      for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) if (a[p][q]) rotate(a, v, p, q);
    }
    const order = a.map((_, i) => i).sort((i, j) => a[i][i] - a[j][j]);
    return { values: order.map((i) => a[i][i]), vectors: order.map((i) => v.map((row) => row[i])) };
  }

  /** One rotation that makes the entry (p, q) zero. */
  function rotate(a, v, p, q) {
    const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
    const c = 1 / Math.sqrt(t * t + 1), s = t * c;
    const turn = (x, y) => [c * x - s * y, s * x + c * y];
    for (const row of a) [row[p], row[q]] = turn(row[p], row[q]);
    for (let k = 0; k < a.length; k++) [a[p][k], a[q][k]] = turn(a[p][k], a[q][k]);
    for (const row of v) [row[p], row[q]] = turn(row[p], row[q]);
  }

  /** What a training set decides: parallelograms, degrees of freedom, rate, what is implied, what is answered. */
  function analyse(p, pairs) {
    const { values, vectors } = eigen(gram(p, pairs)), seen = permissible(pairs);
    const nullity = values.filter((value) => value < ZERO * p).length, free = vectors.slice(0, nullity);
    const kept = (row) => free.every((vector) => Math.abs(dot(row, vector)) < ZERO);
    const implied = permissible(samples(p)).filter((two) => kept(equation(p, two)));
    const known = new Set(pairs.map(String));
    const answered = new Set(known);
    for (const [a, b] of implied) {
      if (known.has(String(a)) || known.has(String(b))) answered.add(String(a)).add(String(b));
    }
    return { values, vectors, parallelograms: seen.length, nullity, implied: implied.length,
             rate: nullity === 2 ? 2 * values[2] / seen.length : 0,
             answered: samples(p).filter((one) => answered.has(String(one))) };
  }

  /** The exact flow from a start at given times; `found` is what `analyse` gives. */
  function along(start, found, times) {
    const z0 = dot(start, start), speed = 2 / (z0 * Math.max(1, found.parallelograms));
    const weights = found.vectors.map((vector) => dot(vector, start));
    const rates = found.values.map((value, k) => (k < found.nullity ? 0 : value * speed));
    const slowest = Math.min(...rates.filter((_, k) => Math.abs(weights[k]) > 1e-14 * Math.sqrt(z0)));
    return times.map((t) => {
      const now = weights.map((w, k) =>
        (Math.abs(w) > 1e-14 * Math.sqrt(z0) ? w * Math.exp((slowest - rates[k]) * t) : 0));
      const path = start.map((_, i) => sum(now.map((w, k) => w * found.vectors[k][i])));
      return path.map((value) => value * Math.sqrt(z0) / size(path));
    });
  }

  /** A time at which the slowest deviation is e^-10 of what it was; null where nothing dies out. */
  function settled(start, found) {
    const slowest = 2 * found.values[found.nullity] / found.parallelograms;
    return found.parallelograms ? 10 * dot(start, start) / slowest : null;
  }

  const flow = (p, pairs, start, times) => along(start, analyse(p, pairs), times);

  /** The share of permissible parallelograms that are closed to within delta, after normalisation. */
  function quality(embedding, delta) {
    const p = embedding.length, even = normalised(embedding), all = permissible(samples(p));
    return all.filter((two) => Math.abs(dot(equation(p, two), even)) <= delta).length / all.length;
  }

  /** Moved and stretched to mean 0 and mean square 1. */
  function normalised(values) {
    const mean = sum(values) / values.length, off = values.map((value) => value - mean);
    return off.map((value) => value * Math.sqrt(values.length) / size(off));
  }

  // ------------------------------------------------------------------ chance, the same at every visit

  function random(seed) {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }

  function some(list, n, draw) {
    const left = list.slice();
    return Array.from({ length: n }, () => left.splice(Math.floor(draw() * left.length), 1)[0]);
  }

  function otherStart(p, draw) {
    const normal = () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
    for (;;) {
      const start = normalised(Array.from({ length: p }, normal));
      if (Math.max(...start.map(Math.abs)) < REACH - 0.2) return start;
    }
  }

  // ------------------------------------------------------------------ drawing

  const REACH = 2.7, WIDE = 340, HIGH = 230, LEFT = 34, RIGHT = 20, TOP = 8, LOW = 26, FIRST = -1, LAST = 3.5;
  /** A button for a random set with the share that `of55` pairs have at p = 10. */
  function atRandom(of55) {
    const count = (all) => Math.round(all.length * of55 / 55);
    return [(all) => `${count(all)} at random`, (all, p, draw) => some(all, count(all), draw)];
  }

  const PRESETS = [
    ["All", (all) => all], ["None", () => []],
    atRandom(45), atRandom(23),
    ["Two sums", (all, p) => all.filter(([i, j]) => i + j === p - 1 || i + j === p)],
    ["0 left loose", (all) => all.filter(([i, j]) => i > 0 || j < 2)],
  ];
  const STYLE = `
.gb-line { --set: var(--train); --told: var(--measure); --mark: var(--test); --first: var(--train); --last: var(--test); }
.gb-line p { margin: .4rem 0; } .gb-line ul { margin: .4rem 0; padding-left: 1.2rem; }
.gb-line i { font-family: Georgia, serif; }
.gb-line .gb-parts { display: flex; flex-wrap: wrap; gap: .9rem; }
.gb-line .gb-parts > div { flex: 1 1 290px; min-width: 0; max-width: 440px; margin: 0 auto; }
.gb-line .gb-cells { display: grid; gap: 2px; max-width: 400px; margin: .2rem auto; touch-action: manipulation; }
.gb-line .gb-cells > * { aspect-ratio: 1; min-width: 0; font: 13px sans-serif; padding: 0; display: grid;
  place-items: center; color: var(--ink); }
.gb-line .gb-cells button { border: 1px solid var(--quiet); border-radius: 3px; background: transparent; cursor: pointer; }
.gb-line .gb-cells .told { border: 2.5px solid var(--told); }
.gb-line .gb-cells [aria-pressed=true] { background: var(--set); border-color: var(--set); color: var(--ground); }
.gb-line .gb-cells .same { box-shadow: 0 0 0 2px var(--mark); }
.gb-line svg { overflow: hidden; }
.gb-line .path { fill: none; stroke-width: 2; } .gb-line .now { stroke: var(--ink); stroke-width: 1.4; }
.gb-line .third { stroke: var(--mark); stroke-width: 1.6; stroke-dasharray: 5 4; }
.gb-line .bow { fill: none; stroke: var(--mark); stroke-width: 1.6; } .gb-line .middle { fill: var(--mark); }
.gb-line .ball { fill: var(--ground); stroke-width: 2.2; } .gb-line svg .digit { font-weight: 600; }
.gb-line input[type=range] { flex: 1 1 8rem; min-width: 0; accent-color: var(--set); min-height: 2rem; margin: 0; }
.gb-line output { font-variant-numeric: tabular-nums; min-width: 5.5rem; text-align: right; }
.gb-line .key { display: inline-flex; align-items: center; gap: .3rem; margin-right: .8rem; }
.gb-line .key b { width: 14px; height: 14px; border: 1px solid var(--quiet); border-radius: 3px; flex: none; }
.gb-line .key .told { border: 2.5px solid var(--told); } .gb-line .key .set { background: var(--set); border-color: var(--set); }
@media screen and (max-width: 560px) { .gb-line { padding: .4rem; } .gb-line .gb-parts { flex-direction: column; gap: .3rem; }
  .gb-line .gb-moving { display: contents; } .gb-line .gb-parts > div { flex: none; width: 100%; order: 2; }
  .gb-line .gb-moving > * { order: 3; } .gb-line .gb-moving > [id$="-line"], .gb-line .gb-moving > [id$="-note"] { order: 1; } }
@media print { .gb-line .gb-controls { display: none; } }`;

  const fixed = (value, digits) => value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1").replace("-", "\u2212");
  const timeOf = (u) => (u === 0 ? 0 : 10 ** (FIRST + (LAST - FIRST) * u));
  const across = (t) => LEFT + (Math.log10(Math.max(t, 10 ** FIRST)) - FIRST) / (LAST - FIRST) * (WIDE - LEFT - RIGHT);
  const upward = (value) => TOP + (REACH - value) / (2 * REACH) * (HIGH - TOP - LOW);
  const moment = (time) => Math.min(1, Math.max(0, (Math.log10(time) - FIRST) / (LAST - FIRST)));
  const place = (value) => (value + REACH) / (2 * REACH) * WIDE;
  const shade = (k, p) => `color-mix(in oklab, var(--last) ${Math.round(100 * k / (p - 1))}%, var(--first))`;
  const plural = (n, one, many) => `${n} ${n === 1 ? one : many}`;

  /** The triangle of samples: each a button with its sum; one tab stop, arrow keys lead to the others. */
  function makeCells(parent, id, state, act) {
    const { p } = state, box = html("div", {}, parent);
    const grid = html("div", { class: "gb-cells", role: "group", "aria-label": "training pairs",
                               "aria-describedby": `${id}-how` }, box);
    grid.style.gridTemplateColumns = `repeat(${p + 1}, minmax(0, 1fr))`;
    const cells = new Map();
    ["+", ...Array(p).keys()].forEach((text) => html("span", { "aria-hidden": "true" }, grid, text));
    for (let i = 0; i < p; i++) {
      html("span", { "aria-hidden": "true" }, grid, i);
      for (let j = 0; j < p; j++) {
        if (j < i) { html("span", { "aria-hidden": "true" }, grid); continue; }
        const about = { type: "button", tabindex: cells.size ? -1 : 0, "data-cell": `${i},${j}` };
        const cell = html("button", about, grid, i + j);
        cell.addEventListener("click", () => act.toggle(i, j));
        cell.addEventListener("focus", () => act.choose(i + j));
        cell.addEventListener("keydown", (event) => step(event, cells, i, j));
        cells.set(`${i},${j}`, cell);
      }
    }
    const keys = [["set", "training pair"], ["told", "not trained, but decided by the training set"], ["", "not decided"]];
    html("p", { id: `${id}-how` }, box, "Row + column: a blue cell is a training pair, the number is its sum. Click, tap, " +
      "or move with the arrow keys and press space.");
    html("p", {}, box, keys.map(([kind, text]) => `<span class="key"><b class="${kind}"></b>${text}</span>`).join(""));
    return (found) => {
      const told = new Set(found.answered.map(String)), set = new Set(state.pairs.map(String));
      for (const [key, cell] of cells) {
        const [i, j] = key.split(",").map(Number), mine = set.has(key), known = told.has(key) && !mine;
        cell.setAttribute("aria-pressed", mine);
        const word = known ? ", decided" : mine ? "" : ", not decided";
        cell.setAttribute("aria-label", `${i} plus ${j}, sum ${i + j}${word}`);
        cell.className = `${known ? "told" : ""} ${i + j === state.label ? "same" : ""}`.trim();
      }
    };
  }

  function step(event, cells, i, j) {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const next = by && cells.get(`${i + by[0]},${j + by[1]}`);
    if (by) event.preventDefault();
    if (!next) return;
    cells.forEach((cell) => cell.setAttribute("tabindex", -1));
    next.setAttribute("tabindex", 0);
    next.focus();
  }

  /** The paths of the numbers in time, with the present moment and three times the time scale. */
  function makePaths(parent, id, state) {
    const { p } = state, said = "the numbers over time, time on a logarithmic scale";
    const whole = { viewBox: `0 0 ${WIDE} ${HIGH}`, id: `${id}-paths`, role: "img", "aria-label": said };
    const view = svg("svg", whole, parent);
    for (let power = FIRST; power <= LAST; power++) {
      svg("line", { class: "grid", x1: across(10 ** power), x2: across(10 ** power), y1: TOP, y2: HIGH - LOW }, view);
      const below = { x: across(10 ** power), y: HIGH - LOW + 15, "text-anchor": "middle" };
      svg("text", below, view).textContent = 10 ** power;
    }
    svg("text", { x: WIDE - RIGHT + 2, y: HIGH - LOW + 15 }, view).textContent = "t";
    for (const tick of [-2, -1, 0, 1, 2]) {
      svg("text", { x: LEFT - 6, y: upward(tick) + 4, "text-anchor": "end" }, view).textContent = fixed(tick, 0);
    }
    svg("rect", { class: "frame", x: LEFT, y: TOP, width: WIDE - LEFT - RIGHT, height: HIGH - TOP - LOW }, view);
    const third = svg("line", { class: "third", id: `${id}-third`, y1: TOP, y2: HIGH - LOW }, view);
    const curves = Array.from({ length: p }, (_, k) => svg("path", { class: "path", id: `${id}-path-${k}` }, view));
    const digits = curves.map(() => svg("text", { class: "digit", x: WIDE - RIGHT + 5 }, view));
    curves.forEach((curve, k) => { curve.style.stroke = shade(k, p); });
    const now = svg("line", { class: "now", y1: TOP, y2: HIGH - LOW }, view);
    const us = Array.from({ length: 121 }, (_, n) => 10 ** (FIRST + (LAST - FIRST) * n / 120));
    return (found) => {
      const points = along(state.start, found, us), at = across(state.time);
      const late = 3 * size(state.start) ** 2 / found.rate;
      curves.forEach((curve, k) => {
        curve.setAttribute("d", us.map((t, n) =>
          `${n ? "L" : "M"}${across(t).toFixed(1)} ${upward(points[n][k]).toFixed(1)}`).join(""));
        digits[k].setAttribute("y", upward(points[120][k]) + 4);
        digits[k].textContent = k;
      });
      for (const [line, x] of [[now, at], [third, across(found.rate ? late : 1)]]) {
        line.setAttribute("x1", x);
        line.setAttribute("x2", x);
      }
      third.setAttribute("visibility", found.rate && late < 10 ** LAST ? "visible" : "hidden");
    };
  }

  /** The numbers on their line now, and bows between the training pairs of the chosen sum, with their middles. */
  function makeLine(parent, id, state) {
    const { p } = state, view = svg("svg", { viewBox: `0 0 ${WIDE} 118`, id: `${id}-line`, role: "img",
                                             "aria-label": "the numbers on a line at this time" }, parent);
    svg("line", { class: "grid", x1: 0, x2: WIDE, y1: 28, y2: 28 }, view);
    const bows = svg("g", {}, view);
    const balls = Array.from({ length: p }, (_, k) => {
      const group = svg("g", { id: `${id}-ball-${k}` }, view);
      svg("circle", { class: "ball", r: 10.5 }, group).style.stroke = shade(k, p);
      svg("text", { "text-anchor": "middle", y: 4 }, group).textContent = k;
      return group;
    });
    const note = html("p", { id: `${id}-note` }, parent);
    return (found, now) => {
      balls.forEach((ball, k) => ball.setAttribute("transform", `translate(${place(now[k]).toFixed(1)} 28)`));
      bows.replaceChildren();
      const same = state.pairs.filter(([i, j]) => i + j === state.label);
      const middles = same.map(([i, j]) => (now[i] + now[j]) / 2);
      same.forEach(([i, j], n) => {
        const [a, b, m] = [now[i], now[j], middles[n]].map(place), deep = 46 + Math.min(60, Math.abs(b - a) / 3);
        svg("path", { class: "bow", d: `M${a} 39Q${m} ${2 * deep - 39} ${b} 39` }, bows);
        svg("circle", { class: "middle", r: 4, cx: m, cy: deep }, bows);
      });
      const apart = same.length > 1 ? Math.max(...middles) - Math.min(...middles) : 0;
      const many = plural(same.length, "training pair", "training pairs");
      note.textContent = `Sum ${state.label}: ${many}` + (same.length < 2 ? ", no parallelogram."
        : ` (orange bows); their middles lie ${fixed(apart, 3)} apart.`);
    };
  }

  function makeControls(root, id, state, act) {
    const box = html("div", { class: "gb-controls" }, root);
    const row = html("div", { class: "gb-row", role: "group", "aria-label": "training sets to try" }, box);
    for (const [name, choice] of PRESETS) {
      const label = typeof name === "string" ? name : name(samples(state.p));
      html("button", { type: "button", "data-preset": label }, row, label)
        .addEventListener("click", () => act.show(choice(samples(state.p), state.p, state.draw)));
    }
    html("button", { type: "button", "data-preset": "Other start" }, row, "Other start")
      .addEventListener("click", () => act.restart(otherStart(state.p, state.draw)));
    html("button", { type: "button", "data-preset": "Reset" }, row, "Reset").addEventListener("click", act.reset);
    const time = html("div", { class: "gb-row" }, box);
    const play = html("button", { type: "button", "data-preset": "Play" }, time, "Play");
    html("label", { for: `${id}-time` }, time, "time <i>t</i>");
    const slider = html("input", { type: "range", min: 0, max: 1, step: 0.005, id: `${id}-time` }, time);
    const shown = html("output", { for: `${id}-time` }, time);
    slider.addEventListener("input", () => { state.running = null; act.go(Number(slider.value)); });
    play.addEventListener("click", () => act.play());
    return () => {
      slider.value = state.u;
      slider.setAttribute("aria-valuetext", `t = ${state.time.toPrecision(3)}`);
      shown.textContent = state.time < 10 ? fixed(state.time, 2) : fixed(state.time, 0);
      play.textContent = state.running === null ? "Play" : "Pause";
    };
  }

  /** What a training set decides, in one sentence. */
  function sentence(p, found) {
    const parts = plural(found.parallelograms, "parallelogram", "parallelograms");
    if (found.nullity > 2) {
      return `${parts}: ${found.nullity} degrees of freedom are left, so the training set does not force a line.`;
    }
    const left = samples(p).length - found.answered.length;
    return `${parts}: a line is forced (2 degrees of freedom: where it begins and its step)` +
      (left ? `, but ${plural(left, "pair has a sum", "pairs have a sum")} that was never seen.` : ".");
  }

  function readings(state, found, now) {
    const all = samples(state.p), every = permissible(all).length, z0 = size(state.start) ** 2;
    return `<ul><li>Training pairs: ${state.pairs.length} of ${all.length}. Parallelograms among them: ` +
      `${found.parallelograms}; implied by them: ${found.implied} of ${every}.</li>` +
      `<li>Rate λ<sub>3</sub> = ${found.rate ? (found.rate / z0).toPrecision(3) : 0}` + (found.rate
        ? `: three times its time scale is <i>t</i> = ${(3 * z0 / found.rate).toPrecision(3)} (dashed)` : "") + ".</li>" +
      `<li>An ideal model answers ${found.answered.length} of ${all.length} pairs.</li>` +
      `<li>Now, at <i>t</i> = ${state.time.toPrecision(3)}: ${fixed(100 * quality(now, 0.01), 0)} % of all ` +
      "parallelograms are closed (RQI).</li></ul>";
  }

  /** Draw the figure into an element; its data-options give the start and the training pairs. */
  function mount(root) {
    if (root.dataset.mounted) return;
    root.dataset.mounted = "yes";
    const id = root.id, first = JSON.parse(root.dataset.options || "{}"), p = first.start.length;
    style("gb-line", STYLE);
    const state = { p, draw: random(11), running: null, label: p - 1, u: 0, rest: 1, time: 0, ...fresh() };
    function fresh() { return { start: first.start.slice(), pairs: first.pairs.map((one) => one.slice()) }; }
    const act = {
      toggle: (i, j) => {
        const left = state.pairs.filter(([a, b]) => a !== i || b !== j);
        act.set(left.length < state.pairs.length ? left : [...state.pairs, [i, j]]);
      },
      choose: (label) => { if (label !== state.label) { state.label = label; update(); } },
      set: (pairs) => { state.pairs = pairs.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1]); update(true); },
      show: (pairs) => {
        const late = settled(state.start, analyse(p, pairs));
        if (late) Object.assign(state, { running: null, u: moment(late), rest: moment(late), time: timeOf(moment(late)) });
        act.set(pairs);
      },
      restart: (start) => { state.start = start; update(true); },
      reset: () => { Object.assign(state, fresh(), { running: null, draw: random(11), label: p - 1 }); act.show(state.pairs); },
      go: (u) => { state.u = u; state.time = timeOf(u); update(); },
      play: () => {
        if (state.running !== null) { state.running = null; return update(); }
        const begun = performance.now(), from = state.u >= state.rest ? 0 : state.u;
        const mine = state.running = {};
        const frame = (clock) => {
          if (state.running !== mine) return;
          const u = Math.min(1, from + Math.max(0, clock - begun) / 8000);
          if (u === 1) state.running = null;
          act.go(u);
          if (u < 1) requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      },
    };
    const parts = html("div", { class: "gb-parts" }, root);
    const refresh = [makeCells(parts, id, state, act)];
    const moving = html("div", { class: "gb-moving" }, parts);
    refresh.push(makePaths(moving, id, state), makeLine(moving, id, state), makeControls(root, id, state, act));
    const said = html("p", { id: `${id}-said`, class: "gb-said" }, root);
    const read = html("div", { id: `${id}-readings` }, root);
    const live = html("p", { id: `${id}-live`, class: "gb-hidden", role: "status", "aria-live": "polite" }, root);
    let timer = null, found = null;

    function update(changed = false) {
      if (changed || !found) found = analyse(p, state.pairs);
      const [now] = along(state.start, found, [state.time]);
      refresh.forEach((run) => run(found, now));
      said.textContent = sentence(p, found);
      read.innerHTML = readings(state, found, now);
      const { nullity, rate, parallelograms, implied } = found;
      const told = { pairs: state.pairs, start: state.start, time: state.time, label: state.label, now, nullity, rate,
                     parallelograms, implied, answered: found.answered.length };
      for (const [key, value] of Object.entries(told)) root.dataset[key] = JSON.stringify(value);
      clearTimeout(timer);
      if (changed) timer = setTimeout(() => { live.textContent = said.textContent; }, 400);
    }
    act.show(state.pairs);
  }

  return { samples, permissible, gram, eigen, analyse, flow, quality, normalised, sentence, mount };
})();
