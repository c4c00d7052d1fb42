// Addition by circles: a reader chooses frequencies and sees circles, logits, margin and wrong pairs, of a network built
// by hand or of a trained one whose frequencies are dropped. No library, no request. GrokbookFrequencies.mount(element).
// needs drawing
"use strict";

window.GrokbookFrequencies = window.GrokbookFrequencies || (function () {
  const { node, html, style, between, line } = window.GrokbookDraw;

  // ------------------------------------------------------------------ mathematics: pure functions of numbers

  const turn = (p, k, n) => (2 * Math.PI * ((k * n) % p)) / p;
  const mod = (n, p) => ((n % p) + p) % p;

  /** sum_k a_k cos(w_k r) for r = 0, ..., p - 1; the amplitudes are those of k = 1, 2, ... */
  const profile = (p, amplitudes) => Array.from({ length: p }, (_, r) =>
    amplitudes.reduce((total, a, n) => total + a * Math.cos(turn(p, n + 1, r)), 0));

  /** Logits [i, j, c] in a row: a clock, or a pizza with |cos(w_k (i - j) / 2)| before each wave. */
  function logitsOf(p, amplitudes, rule) {
    const made = new Float64Array(p ** 3), profiles = [];
    for (let d = 0; d < p; d++) {
      const factors = amplitudes.map((a, n) => (rule === "pizza" ? a * Math.abs(Math.cos(turn(2 * p, n + 1, d))) : a));
      profiles.push(rule === "pizza" || !d ? profile(p, factors) : profiles[0]);
    }
    for (let i = 0, at = 0; i < p; i++) for (let j = 0; j < p; j++) for (let c = 0; c < p; c++) {
      made[at++] = profiles[Math.abs(i - j)][mod(i + j - c, p)];
    }
    return made;
  }

  /** Of every pair the correct logit less the best other one, and the mean cross entropy. */
  function judge(p, logits) {
    const margins = new Float64Array(p * p);
    let loss = 0;
    for (let pair = 0; pair < p * p; pair++) {
      const from = pair * p, right = (Math.floor(pair / p) + (pair % p)) % p, correct = logits[from + right];
      let best = -Infinity, total = 0;
      for (let c = 0; c < p; c++) {
        total += Math.exp(logits[from + c] - correct);
        if (c !== right) best = Math.max(best, logits[from + c]);
      }
      margins[pair] = correct - best;
      loss += Math.log(total) / (p * p);
    }
    return { margins, loss, wrong: margins.reduce((n, m) => n + (m <= 0), 0), margin: Math.min(...margins) };
  }

  const numbers = (p, amplitudes, rule) => {
    const { loss, wrong, margin } = judge(p, logitsOf(p, amplitudes, rule));
    return { loss, wrong, margin };
  };

  /** Whole numbers from -127 to 127, a byte each, from base64. */
  const levels = (text) => Int8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  /** Standard normal numbers, the same at every visit. */
  function normals(n, seed) {
    let state = seed >>> 0;
    const draw = () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
    return Float64Array.from({ length: n }, () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw()));
  }

  // ------------------------------------------------------------------ what is seen

  const WIDE = 380, HIGH = 150, LEFT = 34, RIGHT = 8, TOP = 10, FOOT = 20, LEVELS = 4;
  const STYLE = `
.gb-freq p { margin: .3rem 0; } .gb-freq i { font-family: Georgia, serif; }
.gb-freq .gb-row button[aria-pressed=true] { background: var(--ink); color: var(--ground); }
.gb-freq .gb-waves { display: grid; grid-template-columns: repeat(auto-fill, minmax(2.5rem, 1fr)); gap: 3px; margin: .3rem 0; }
.gb-freq .gb-waves button { font: 600 .9rem/1.1 sans-serif; color: var(--ink); background: transparent; padding: .15rem 0;
  border: 1px solid var(--quiet); border-radius: 4px; min-height: 2rem; min-width: 0; cursor: pointer; }
.gb-freq .gb-waves button[aria-pressed=true] { background: var(--train); border-color: var(--train); color: var(--ground); }
.gb-freq .gb-waves small { display: block; font: .68rem sans-serif; }
.gb-freq .gb-parts { display: grid; grid-template-columns: 1fr 1fr 1.4fr; gap: .7rem; align-items: center; }
.gb-freq .gb-parts > * { min-width: 0; } .gb-freq .gb-mosaic { outline: 1px solid var(--quiet); cursor: crosshair; touch-action: manipulation; }
.gb-freq .cells { fill: var(--measure); } .gb-freq .wrong { fill: none; }
.gb-freq .cross { fill: none; stroke: var(--ink); stroke-width: .35; }
.gb-freq .ring { fill: none; stroke: var(--quiet); stroke-width: 1; } .gb-freq .token { fill: var(--quiet); }
.gb-freq .hand { stroke-width: 3; stroke-linecap: round; } .gb-freq .hand.i { stroke: var(--train); }
.gb-freq .hand.j { stroke: var(--second); } .gb-freq .hand.sum { stroke: var(--measure); stroke-width: 5; }
.gb-freq .wave { fill: none; stroke: var(--quiet); stroke-width: 1.4; } .gb-freq .dot { fill: var(--ink); }
.gb-freq .dot.right { fill: var(--measure); } .gb-freq .dot.rival { fill: var(--test); }
.gb-freq .mark { stroke: var(--measure); stroke-width: 1; stroke-dasharray: 3 3; }
.gb-freq input[type=range] { flex: 1 1 7rem; min-width: 0; min-height: 2rem; margin: 0; accent-color: var(--train); }
.gb-freq .gb-row label { display: flex; flex: 1 1 9rem; gap: .4rem; align-items: center; min-width: 0; }
.gb-freq output { font-variant-numeric: tabular-nums; min-width: 2.4rem; text-align: right; }
.gb-freq .key b { display: inline-block; width: 12px; height: 12px; border-radius: 2px; margin: 0 .3rem 0 .6rem; }
.gb-freq .gb-said { min-height: 2.8em; }
@media screen and (max-width: 560px) { .gb-freq { padding: .4rem; } .gb-freq .gb-row button { padding: .2rem .5rem; min-height: 2rem; }
  .gb-freq .gb-parts { grid-template-columns: 1fr 1fr; gap: .4rem; } .gb-freq .gb-logits { grid-column: 1 / -1; } }
@media print { .gb-freq .gb-row { display: none; } }`;

  const short = (value) => (Math.abs(value) < 1e-9 ? "0" : Math.abs(value) < 1 ? value.toFixed(4) : value.toFixed(2)).replace("-", "\u2212");
  const plural = (n, one, many) => `${n} ${n === 1 ? one : many}`;

  /** A row of buttons of which one is pressed. */
  function makeModes(root, modes, act) {
    const row = html("div", { class: "gb-row", role: "group", "aria-label": "which network" }, root);
    const buttons = modes.map(({ name }, n) => {
      const made = html("button", { type: "button", "data-mode": n }, row, name);
      made.addEventListener("click", () => act.mode(n));
      return made;
    });
    return (state) => buttons.forEach((button, n) => button.setAttribute("aria-pressed", n === state.mode));
  }

  /** The frequencies as buttons: one tab stop, arrows move, space or a click puts one in or out. */
  function makeWaves(root, act) {
    const box = html("div", { class: "gb-waves", role: "group", "aria-label": "frequencies; arrows move, space chooses" }, root);
    let buttons = [];
    function make(size) {
      box.replaceChildren();
      buttons = Array.from({ length: size }, (_, n) => {
        const made = html("button", { type: "button", "data-k": n + 1, tabindex: n ? -1 : 0 }, box);
        made.addEventListener("click", () => act.toggle(n + 1));
        made.addEventListener("keydown", (event) => {
          const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
          if (by) event.preventDefault();
          const next = by && buttons[n + by];
          if (!next) return;
          buttons.forEach((button) => button.setAttribute("tabindex", button === next ? 0 : -1));
          next.focus();
        });
        return made;
      });
    }
    return (state, world) => {
      if (buttons.length !== world.size) make(world.size);
      buttons.forEach((button, n) => {
        const share = world.shares && `${(100 * world.shares[n]).toFixed(0)} %`;
        button.innerHTML = share ? `${n + 1}<small>${share}</small>` : n + 1;
        button.setAttribute("aria-pressed", state.chosen.has(n + 1));
        button.setAttribute("aria-label", `frequency ${n + 1}` + (share ? `, ${share} of the variance` : ""));
      });
    };
  }

  function makeChoices(root, act) {
    const row = html("div", { class: "gb-row", role: "group", "aria-label": "choices" }, root);
    for (const name of ["Reset", "All", "None", "Invert"]) {
      html("button", { type: "button", "data-choice": name }, row, name).addEventListener("click", () => act.choose(name));
    }
    const rest = html("button", { type: "button", "data-choice": "Rest" }, row, "Rest of the logits");
    rest.addEventListener("click", () => act.choose("Rest"));
    const noise = makeSlider(row, "noise", "noise", { min: 0, max: 1, step: 0.01 }, act.noise);
    return (state, world) => {
      rest.hidden = !world.rest;
      rest.setAttribute("aria-pressed", state.rest);
      noise.label.hidden = Boolean(world.rest);
      noise.label.style.display = world.rest ? "none" : "";
      noise.show(state.noise, state.noise.toFixed(2));
    };
  }

  function makeSlider(parent, name, text, limits, act) {
    const label = html("label", {}, parent, `<span>${text}</span>`);
    const input = html("input", { type: "range", "data-slider": name, ...limits }, label), shown = html("output", {}, label);
    input.addEventListener("input", () => act(Number(input.value)));
    return { label, input, show: (value, told) => { input.value = value; shown.textContent = told; } };
  }

  /** The p by p pairs: empty where the answer is wrong, else the greener the greater the margin. */
  function makeMosaic(parent, act) {
    const view = node("svg", { class: "gb-mosaic", role: "img", "shape-rendering": "crispEdges" }, parent);
    const paths = Array.from({ length: LEVELS + 1 }, (_, n) => node("path", n ? { class: "cells", opacity: (n / LEVELS).toFixed(2) }
      : { class: "wrong" }, view));
    const cross = node("path", { class: "cross" }, view);
    view.addEventListener("click", (event) => {
      const box = view.getBoundingClientRect(), p = view.viewBox.baseVal.width;
      const at = (value, length) => Math.max(0, Math.min(p - 1, Math.floor((value / length) * p)));
      act.pair(at(event.clientY - box.top, box.height), at(event.clientX - box.left, box.width));
    });
    return (state, { p }, { margins, wrong }) => {
      view.setAttribute("viewBox", `0 0 ${p} ${p}`);
      const most = Math.max(...margins), drawn = paths.map(() => "");
      margins.forEach((margin, pair) => {
        const level = margin <= 0 ? 0 : Math.max(1, Math.ceil((LEVELS * margin) / most));
        drawn[level] += `M${pair % p} ${Math.floor(pair / p)}h1v1h-1z`;
      });
      paths.forEach((path, n) => path.setAttribute("d", drawn[n]));
      cross.setAttribute("d", `M${state.j} ${state.i}h1v1h-1z M0 ${state.i + 0.5}H${state.j} M${state.j + 0.5} 0V${state.i}`);
      view.setAttribute("aria-label", `All ${p} by ${p} pairs, i down and j across: ${wrong} wrong`);
    };
  }

  /** One circle a chosen frequency (of a trained network with 1 % or more): token t at the angle w_k t, and three hands. */
  function makeCircles(parent) {
    const view = node("svg", { role: "img" }, parent);
    return (state, { p, shares }) => {
      view.replaceChildren();
      const all = [...state.chosen].filter((k) => !shares || shares[k - 1] >= 0.01).sort((a, b) => a - b);
      const columns = Math.max(1, Math.ceil(Math.sqrt(all.length))), rows = Math.ceil(all.length / columns);
      view.setAttribute("viewBox", "0 0 200 200");
      view.setAttribute("aria-label", `Circles of the frequencies ${all.join(", ") || "none"}, with hands to i, j and i + j`);
      const cell = 200 / columns, largest = shares ? Math.max(...shares) : 1;
      all.forEach((k, n) => {
        const size = shares ? Math.max(0.3, Math.sqrt(shares[k - 1] / largest)) : 1;
        const r = 0.4 * cell * size, x = cell * ((n % columns) + 0.5), y = cell * (Math.floor(n / columns) + 0.5 + (columns - rows) / 2);
        const at = (t, far = 1) => [x + far * r * Math.cos(turn(p, k, t)), y - far * r * Math.sin(turn(p, k, t))];
        node("circle", { class: "ring", cx: x, cy: y, r }, view);
        if (columns < 4) for (let t = 0; t < p; t++) {
          const [cx, cy] = at(t);
          node("circle", { class: "token", cx, cy, r: 1.6 }, view);
        }
        for (const [name, t] of [["sum", (state.i + state.j) % p], ["i", state.i], ["j", state.j]]) {
          const [x2, y2] = at(t, name === "sum" ? 1 : 0.8);
          node("line", { class: `hand ${name}`, x1: x, y1: y, x2, y2 }, view);
        }
        if (columns < 4) node("text", { x: x - cell / 2 + 2, y: y - cell / 2 + 12 }, view, `k = ${k}`);
      });
      if (!all.length) node("text", { x: 100, y: 100, "text-anchor": "middle" }, view, shares ? "no frequency of 1 % or more" : "no frequency chosen");
    };
  }

  /** The logits of the pair over c as dots, the chosen waves alone as a line. */
  function makeLogits(parent) {
    const view = node("svg", { class: "gb-logits", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" }, parent);
    return (state, { p }, { waves, logits }) => {
      view.replaceChildren();
      const from = (state.i * p + state.j) * p, right = (state.i + state.j) % p, z = Array.from(logits.slice(from, from + p));
      const w = Array.from(waves.slice(from, from + p)), low = Math.min(...z, ...w), high = Math.max(...z, ...w);
      const x = (c) => between(c, [0, p - 1], [LEFT + 6, WIDE - RIGHT - 4]);
      const y = (value) => (high > low ? between(value, [low, high], [HIGH - FOOT - 6, TOP + 4]) : (HIGH - FOOT + TOP) / 2);
      const rival = z.reduce((best, value, c) => (c !== right && (best < 0 || value > z[best]) ? c : best), -1);
      node("path", { class: "frame", d: `M${LEFT} ${TOP}V${HIGH - FOOT}H${WIDE - RIGHT}` }, view);
      node("line", { class: "mark", x1: x(right), x2: x(right), y1: TOP, y2: HIGH - FOOT }, view);
      node("path", { class: "wave", d: line(w.map((value, c) => [x(c), y(value)])) }, view);
      z.forEach((value, c) => node("circle", { class: `dot ${c === right ? "right" : c === rival ? "rival" : ""}`,
        "data-c": c, cx: x(c).toFixed(1), cy: y(value).toFixed(1), r: c === right || c === rival ? 4.5 : 2.4 }, view));
      for (const value of high > low ? [low, high] : [high]) {
        node("text", { x: LEFT - 4, y: y(value) + 4, "text-anchor": "end" }, view,
          value.toFixed(Math.abs(value) < 10 ? 1 : 0).replace("-", "\u2212"));
      }
      const end = x(right) > WIDE - 90;
      node("text", { x: x(right), y: HIGH - 5, "text-anchor": right < 2 ? "start" : end ? "end" : "middle" }, view, `c = ${right}, the sum`);
      view.setAttribute("aria-label", `Logits of ${state.i} + ${state.j}: class ${right} has ${short(z[right])}, the best other, ` +
        `class ${rival}, ${short(z[rival])}`);
    };
  }

  /** What the numbers say, in two sentences. */
  function sentence(state, world, clean, found) {
    const n = state.chosen.size, all = world.p ** 2, wrong = `${found.wrong} of ${all} pairs wrong`;
    if (world.rest) {
      const kept = `${n} of ${world.size} frequencies ${state.rest ? "and the rest" : "alone"}`;
      return `${kept}: ${wrong}, least margin ${short(found.margin)}, loss ${short(found.loss)} nats.`;
    }
    return `${plural(n, "frequency", "frequencies")}: least margin ${short(clean.margin)} without noise. ` +
      `With noise of standard deviation ${state.noise.toFixed(2)}: ${wrong}.`;
  }

  /** The two networks built by hand and the trained ones, ready for use. */
  function worlds(given) {
    const { p } = given, size = (p - 1) / 2, first = given.chosen || [1];
    const built = [["Clock", "clock"], ["Pizza", "pizza"]].map(([name, rule]) => (
      { name, p, size, rule, first, amplitudes: Array(size).fill(1) }));
    const trained = (given.networks || []).map((one) => ({ ...one, rule: "clock", size: one.amplitudes.length,
      first: one.amplitudes.map((_, n) => n + 1), rest: Float64Array.from(levels(one.rest), (value) => value * one.scale) }));
    return [...built, ...trained];
  }

  /** Draw the figure into an element; its data-options hold p, the frequencies chosen first and trained networks. */
  function mount(root) {
    if (root.dataset.mounted) return;
    root.dataset.mounted = "yes";
    style("gb-freq", STYLE);
    const given = JSON.parse(root.dataset.options), all = worlds(given), drawn = {};
    const state = { mode: 0, chosen: new Set(), rest: true, noise: given.noise ?? 0.1, i: 3, j: 7 };
    const act = {
      mode: (n) => { Object.assign(state, { mode: n, rest: true, chosen: new Set(all[n].first) });
                     state.i = Math.min(state.i, all[n].p - 1); state.j = Math.min(state.j, all[n].p - 1); update(true); },
      toggle: (k) => { if (!state.chosen.delete(k)) state.chosen.add(k); update(true); },
      choose: (name) => {
        const { size, first } = all[state.mode], every = Array.from({ length: size }, (_, n) => n + 1);
        if (name === "Rest") state.rest = !state.rest;
        else state.chosen = new Set({ Reset: first, All: every, None: [], Invert: every.filter((k) => !state.chosen.has(k)) }[name]);
        if (name === "Reset") state.rest = true;
        update(true);
      },
      noise: (value) => { state.noise = value; update(true); },
      pair: (i, j) => { Object.assign(state, { i, j }); update(); },
    };
    const refresh = [makeModes(root, all, act), makeWaves(root, act), makeChoices(root, act)];
    const said = html("p", { class: "gb-said", role: "status", "aria-live": "polite" }, root);
    const parts = html("div", { class: "gb-parts" }, root);
    refresh.push(makeCircles(parts), makeMosaic(parts, act), makeLogits(parts));
    const row = html("div", { class: "gb-row", role: "group", "aria-label": "the pair" }, root);
    const sliders = ["i", "j"].map((name) => makeSlider(row, name, `<i>${name}</i>`, { min: 0, max: 1, step: 1 },
      (value) => act.pair(name === "i" ? value : state.i, name === "j" ? value : state.j)));
    html("p", { class: "key" }, root, "Left: hands at <i>i</i> (blue), <i>j</i> (purple), <i>i</i> + <i>j</i> (green). Middle: every pair, " +
      "<i>i</i> down, <i>j</i> across; tap one. Green: right, the fuller the colour the greater the margin. Empty: wrong. Last: the pair's logits over <i>c</i>; the grey line is the chosen waves alone.");

    function compute() {
      const world = all[state.mode], { p } = world;
      const waves = logitsOf(p, world.amplitudes.map((a, n) => (state.chosen.has(n + 1) ? a : 0)), world.rule);
      const added = world.rest ? (state.rest ? world.rest : null) : (drawn[p] ??= normals(p ** 3, 1));
      const factor = world.rest ? 1 : state.noise, logits = added ? waves.map((value, n) => value + factor * added[n]) : waves;
      return { world, waves, logits, clean: judge(p, waves), ...judge(p, logits) };
    }
    let found = null;
    function update(changed = false) {
      if (changed || !found) found = compute();
      const { world, clean } = found;
      refresh.forEach((show) => show(state, world, found));
      sliders.forEach((slider, n) => {
        slider.input.max = world.p - 1;
        slider.show([state.i, state.j][n], [state.i, state.j][n]);
      });
      const text = sentence(state, world, clean, found);
      if (said.textContent !== text) said.textContent = text;
      const told = { mode: state.mode, chosen: [...state.chosen].sort((a, b) => a - b), pair: [state.i, state.j], noise: state.noise,
                     margin: world.rest ? found.margin : clean.margin, wrong: found.wrong, loss: found.loss };
      for (const [key, value] of Object.entries(told)) root.dataset[key] = JSON.stringify(value);
    }
    act.mode(0);
  }

  return { profile, levels, numbers, sentence, mount };
})();
