// A page that trains: two small networks learn addition modulo p in the reader's browser, each seed in a Web Worker of its
// own. Settings come from data-options or from the address, which repeats a run; no library, no request.
// needs drawing
// needs training_core
"use strict";

window.GrokbookTraining = window.GrokbookTraining || (function () {
  const { node, whole, between, line, style } = window.GrokbookDraw, core = window.GrokbookTrainer(window.GrokbookNetworks());

  // ------------------------------------------------------------------ settings, and the address that holds them

  const PRIMES = [5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59];
  const CHOICES = {
    quadratic: { p: PRIMES, width: [16, 32, 64, 128, 256], loss: ["squared_error", "centred_squared_error"] },
    transformer: { p: PRIMES.filter((p) => p <= 31), width: [16, 32, 48], loss: ["cross_entropy"] },
    any: { optimizer: ["Adam", "AdamW", "Sgd"], split: ["random", "symmetric"], pace: ["slow at first", "as fast as it can"] },
  };
  const RANGES = { train_fraction: [0.05, 0.95], weight_decay: [0, 100], learning_rate: [1e-6, 100], seed: [0, 1e6],
                   n_seeds: [1, 4], steps: [1, 200000] };
  const WHOLE = ["seed", "n_seeds", "steps"];
  const WORDS = { quadratic: "two layers, squares", transformer: "one-layer transformer", squared_error: "squared error",
                  centred_squared_error: "squared error, class mean taken out", cross_entropy: "cross entropy",
                  Adam: "Adam, coupled decay", AdamW: "AdamW", Sgd: "gradient descent, momentum 0.9" };
  const FIRST = { model: "quadratic", split: "random", seed: 0, n_seeds: 2, steps: 3000, pace: "slow at first" };
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
    const model = given.model in USUAL ? given.model : FIRST.model, s = { ...FIRST, ...USUAL[model], ...given, model };
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

  /** The settings and the dropped neurons (seed, unit, step, on) as the part of an address after `#`; and back. */
  function address(id, s, drops) {
    const text = drops.map((e) => [e.seed, e.unit, e.step, e.on ? 1 : 0].join(".")).join("_");
    return `#${id}?${new URLSearchParams({ ...s, ...(text ? { drops: text } : {}) })}`;
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

  const WIDE = 340, HIGH = 150, LEFT = 40, RIGHT = 8, TOP = 18, FOOT = 20;
  const KINDS = ["unseen", "mirrored", "trained"], COLOURS = ["--test", "--mirrored", "--train"];
  const STYLE = `
.gb-train p { margin: .4rem 0; } .gb-train .gb-said { font-weight: 600; min-height: 2.8em; }
.gb-train .gb-row { display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center; margin: .3rem 0; }
.gb-train button, .gb-train select, .gb-train input { font: inherit; color: inherit; background: transparent; }
.gb-train select option { color: #111; background: #fff; }
.gb-train .gb-row button { border: 1px solid var(--quiet); border-radius: 5px; padding: .3rem .7rem; min-height: 2.3rem;
  cursor: pointer; } .gb-train .gb-row button.first { border: 2px solid var(--train); font-weight: 600; }
.gb-train :focus-visible { outline: 3px solid var(--test); outline-offset: 1px; }
.gb-train .gb-settings { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.2rem, 1fr)); gap: .4rem .7rem; }
.gb-train .gb-settings label { display: block; margin: 0; } .gb-train .gb-settings :is(select, input) { width: 100%;
  min-height: 2.2rem; border: 1px solid var(--quiet); border-radius: 4px; padding: .1rem .3rem; box-sizing: border-box; }
.gb-train summary { cursor: pointer; padding: .3rem 0; min-height: 1.5rem; }
.gb-train .gb-tables, .gb-train .gb-charts { display: grid; gap: .6rem 1rem; align-items: start; }
.gb-train .gb-tables { grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); }
.gb-train .gb-charts { grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); }
.gb-train canvas { display: block; width: 100%; max-width: 24rem; height: auto; margin: .2rem auto; }
.gb-train .gb-tables button { width: 100%; text-align: left; border: 1px solid transparent; border-radius: 5px;
  padding: .2rem .4rem; min-height: 2.2rem; cursor: pointer; }
.gb-train .gb-tables button[aria-pressed=true] { border-color: var(--ink); font-weight: 600; }
.gb-train .key { display: inline-flex; align-items: center; gap: .3rem; margin-right: .9rem; }
.gb-train .key svg { width: 15px; height: 15px; flex: none; }
.gb-train .mirrored { stroke: var(--mirrored); } .gb-train .measure { stroke: var(--measure); }
.gb-train .curve { stroke-width: 1.1; opacity: .55; } .gb-train .curve.chosen { stroke-width: 2.4; opacity: 1; }
.gb-train .bar { fill: var(--measure); } .gb-train svg .name { font-weight: bold; stroke: none; }
.gb-train .name.train { fill: var(--train); } .gb-train .name.test { fill: var(--test); }
.gb-train .name.mirrored { fill: var(--mirrored); }
.gb-train .gb-clocks { display: grid; grid-template-columns: repeat(auto-fill, minmax(32px, 1fr)); gap: 2px; }
.gb-train .gb-clocks button { padding: 0; border: 1px solid transparent; border-radius: 4px; cursor: pointer; min-width: 0;
  aspect-ratio: 1; touch-action: manipulation; }
.gb-train .gb-clocks button[aria-pressed=true] { border-color: var(--test); }
.gb-train .gb-clocks svg { stroke-linecap: round; } .gb-train .gb-clocks svg text { font: 9px sans-serif; stroke: none; }
.gb-train .gb-clocks circle { fill: none; stroke: var(--quiet); } .gb-train .gb-clocks circle.answer { fill: var(--measure);
  stroke: none; } .gb-train .first-hand { stroke: var(--train); stroke-width: 2; }
.gb-train .second-hand { stroke: var(--mirrored); stroke-width: 2; } .gb-train .cross { stroke: var(--test); stroke-width: 2.4; }
.gb-train a.gb-link { color: var(--train); } 
@media screen and (max-width: 560px) { .gb-train { padding: .5rem; }
  .gb-train .gb-tables { grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .4rem; } }
@media print { .gb-train .gb-row, .gb-train details { display: none; } }`;

  const percent = (share) => (share === null ? "none" : `${Math.floor(100 * share)} %`);
  const short = (value) => (value === 0 ? "0" : value >= 0.01 && value < 1e4 ? String(Number(value.toPrecision(2)))
    : value.toExponential(0).replace("e+", "e"));

  /** The shape of a kind of cell about (x, y): a square if trained, a triangle if mirrored, a disc if unseen. */
  function cellPath(context, kind, x, y, r) {
    context.beginPath();
    if (kind === 2) context.rect(x - r, y - r, 2 * r, 2 * r);
    else if (kind === 0) context.arc(x, y, r, 0, 2 * Math.PI);
    else {
      context.moveTo(x, y - r);
      context.lineTo(x + r, y + r);
      context.lineTo(x - r, y + r);
      context.closePath();
    }
  }

  /** The table of a run: what is answered rightly is filled, what is not is a small dot in its own colour. */
  function paintTable(canvas, p, { kinds, now }) {
    const side = Math.max(8, Math.floor(480 / p)), context = canvas.getContext("2d"), look = getComputedStyle(canvas);
    const colours = COLOURS.map((name) => look.getPropertyValue(name).trim());
    if (canvas.width !== side * p) canvas.width = canvas.height = side * p;
    context.clearRect(0, 0, canvas.width, canvas.height);
    for (let cell = 0; cell < p * p; cell++) {
      const kind = kinds[cell], x = (cell % p + 0.5) * side, y = (Math.floor(cell / p) + 0.5) * side;
      context.fillStyle = colours[kind];
      cellPath(context, kind, x, y, side * (now.right[cell] ? 0.45 : 0.12));
      context.fill();
    }
  }

  function key(kind) {
    const drawn = ["<circle cx='7' cy='7' r='6'/>", "<path d='M7 1L13 13H1Z'/>", "<rect x='1' y='1' width='12' height='12'/>"][kind];
    const text = ["neither it nor its mirror image was trained", "only its mirror image was trained", "trained"][kind];
    return `<span class="key"><svg viewBox="0 0 14 14" aria-hidden="true" style="fill:var(${COLOURS[kind]})">${drawn}</svg>${text}</span>`;
  }

  /** A chart of curves over the logarithm of the step, for all runs; the chosen one is thick. */
  function makeChart(parent, title, lines, { log = false, top = null } = {}) {
    const picture = node("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": title }, parent);
    const foot = HIGH - FOOT;
    node("text", { x: LEFT, y: 12 }, picture, title);
    node("path", { class: "frame", d: `M${LEFT} ${TOP}V${foot}H${WIDE - RIGHT}` }, picture);
    const [high, low] = [TOP + 24, foot].map((y) => node("text", { x: LEFT - 4, y, "text-anchor": "end" }, picture));
    const ticks = node("g", {}, picture), curves = node("g", {}, picture), names = node("g", {}, picture);
    lines.filter(([, , name]) => name).forEach(([, kind, name], k) =>
      node("text", { class: `name ${kind}`, x: LEFT + 6 + 92 * k, y: TOP + 12 }, names, name));
    return (runs, chosen, last) => {
      const values = runs.flatMap((run) => run.curve.flatMap((point) => lines.map(([name]) => point[name])));
      const seen = values.filter((value) => value !== null && value > 0);
      const least = log ? Math.max(1e-12, Math.min(1e300, ...seen)) : 0, most = top === null ? Math.max(...seen, least * 10 || 1e-9) : top;
      const scale = log ? Math.log10 : (value) => value;
      const x = (step) => between(Math.log10(Math.max(step, 1)), [0, Math.log10(Math.max(last, 10))], [LEFT, WIDE - RIGHT]);
      const y = (value) => between(scale(Math.max(value, least)), [scale(least), scale(most)], [foot, TOP + 20]);
      [high.textContent, low.textContent] = top === null ? [short(most), short(least)] : ["100 %", "0"];
      curves.replaceChildren();
      ticks.replaceChildren();
      for (let step = 1; step <= last; step *= 10) {
        node("text", { x: x(step), y: HIGH - 5, "text-anchor": step === 1 ? "start" : "middle" }, ticks, whole(step));
      }
      runs.forEach((run, r) => lines.forEach(([name, kind]) => {
        const points = run.curve.filter((point) => point[name] !== null).map((point) => [x(point.step), y(point[name])]);
        if (points.length) node("path", { class: `curve ${kind}${r === chosen ? " chosen" : ""}`, d: line(points) }, curves);
      }));
    };
  }

  /** The share of each frequency in the power of the embedding. */
  function makeSpectrum(parent) {
    const picture = node("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": "Spectrum of the embedding" }, parent);
    const title = node("text", { x: LEFT, y: 12 }, picture), foot = HIGH - FOOT;
    node("path", { class: "frame", d: `M${LEFT} ${TOP}V${foot}H${WIDE - RIGHT}` }, picture);
    node("text", { x: LEFT - 4, y: foot, "text-anchor": "end" }, picture, "0");
    const high = node("text", { x: LEFT - 4, y: TOP + 8, "text-anchor": "end" }, picture), bars = node("g", {}, picture);
    return (shares) => {
      const most = Math.max(...shares, 1e-9), wide = (WIDE - LEFT - RIGHT) / shares.length;
      title.textContent = `Power of the embedding by frequency 1 to ${shares.length}`;
      high.textContent = percent(most);
      bars.replaceChildren();
      shares.forEach((share, k) => {
        const top = between(share, [0, most], [foot, TOP]);
        node("rect", { class: "bar", x: LEFT + (k + 0.1) * wide, width: 0.8 * wide, y: top, height: foot - top }, bars);
        if (shares.length < 16 || k % 5 === 4) {
          node("text", { x: LEFT + (k + 0.5) * wide, y: HIGH - 5, "text-anchor": "middle" }, bars, k + 1);
        }
      });
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

  /** Fields for all settings; `act.change(name, value)` is called with what a reader chooses. */
  function makeSettings(parent, id, act) {
    const box = node("details", matchMedia("(max-width: 700px)").matches ? {} : { open: "" }, parent);
    node("summary", {}, box, "Settings");
    const grid = node("div", { class: "gb-settings" }, box), fields = {};
    const labels = { model: "Network", p: "Modulus p", width: "Width", train_fraction: "Share trained", split: "Split",
                     optimizer: "Optimiser", learning_rate: "Learning rate", weight_decay: "Weight decay", loss: "Loss",
                     seed: "First seed", n_seeds: "Seeds side by side", steps: "Last step", pace: "Pace" };
    for (const [name, text] of Object.entries(labels)) {
      const label = node("label", { for: `${id}-${name}` }, grid, text), range = RANGES[name];
      const about = range ? { type: "number", min: range[0], max: range[1], step: WHOLE.includes(name) ? 1 : "any" } : {};
      const shared = { id: `${id}-${name}`, "data-setting": name, autocomplete: "off" };
      fields[name] = node(range ? "input" : "select", { ...about, ...shared }, label);
      fields[name].addEventListener("change", () => act.change(name, fields[name].value));
    }
    return (s) => {
      for (const [name, field] of Object.entries(fields)) {
        const list = name === "model" ? Object.keys(USUAL) : CHOICES[s.model][name] || CHOICES.any[name];
        if (list && field.dataset.list !== String(list)) {
          field.replaceChildren(...list.map((value) => node("option", { value }, null, WORDS[value] || value)));
          field.dataset.list = String(list);
        }
        field.value = s[name];
      }
    };
  }

  /** When a curve first reaches 95 per cent, as words. */
  function when(curve, name) {
    const found = curve.find((point) => point[name] !== null && point[name] >= 0.95);
    return found ? `from step ${whole(found.step)}` : null;
  }

  /** What a run can do, in a sentence. */
  function sentence(run) {
    const { now } = run, other = now.unseen === null ? "mirrored" : "unseen", who = `Seed ${run.seed}, step ${whole(now.step)}:`;
    const fit = when(run.curve, "train"), rule = when(run.curve, other);
    if (!fit) return `${who} learning by heart; ${percent(now.train)} of the trained cells are right.`;
    if (!rule) return `${who} the trained cells are known (${fit}); of the ${other} cells ${percent(now[other])} are right.`;
    return `${who} the trained cells are known ${fit}, the ${other} ones ${rule}. Of the test set ${percent(now.test)} are right now.`;
  }

  // ------------------------------------------------------------------ the whole

  /** Draw the page into an element; its data-options are settings. */
  function mount(root) {
    if (root.dataset.mounted) return;
    root.dataset.mounted = "yes";
    style("gb-train", STYLE);
    const id = root.id, own = settled(JSON.parse(root.dataset.options || "{}")), linked = fromAddress(id, location.hash);
    const state = { s: linked ? linked.settings : own, drops: linked ? linked.drops : [], runs: [], chosen: 0, going: false };
    const row = node("div", { class: "gb-row" }, root), buttons = {};
    for (const [name, text] of [["train", "Train"], ["step", "One step"], ["again", "From the start"], ["reset", "First settings"]]) {
      buttons[name] = node("button", { type: "button", "data-act": name, class: name === "train" ? "first" : "" }, row, text);
      buttons[name].addEventListener("click", () => act[name]());
    }
    const fields = node("div", {}, root), said = node("p", { class: "gb-said", id: `${id}-said` }, root);
    const tables = node("div", { class: "gb-tables" }, root), keys = node("p", {}, root);
    keys.innerHTML = `${[2, 1, 0].map(key).join("")}<span class="key">large: answered rightly, small: wrongly</span>`;
    const charts = node("div", { class: "gb-charts" }, root);
    const curves = [
      makeChart(charts, "Accuracy", [["train", "train", "trained"], ["mirrored", "mirrored", "mirrored"], ["unseen", "test", "unseen"]], { top: 1 }),
      makeChart(charts, "Loss", [["train_loss", "train", "training set"], ["test_loss", "test", "test set"]], { log: true }),
      makeChart(charts, "MED of the embedding", [["med", "measure"]]),
      makeChart(charts, "|G_F|, gradient at the features", [["feature_gradient", "measure"]], { log: true }),
    ];
    const spectrum = makeSpectrum(charts);
    node("p", { id: `${id}-clocks` }, root, "Neurons as clocks: the number is the strongest frequency; hands: phase for the first operand " +
      "(long), for the second (short); dot: phase of what it adds to the answers. Click, or space, drops a neuron or puts it back.");
    const act = { drop, change, train: () => go(!state.going), step, again: () => restart(true), reset };
    const clocks = makeClocks(root, act), settings = makeSettings(fields, id, act);
    const link = node("a", { class: "gb-link" }, node("p", {}, root), "Link that repeats this run");
    const live = node("p", { class: "gb-hidden", role: "status", "aria-live": "polite" }, root);
    let waiting = false, announced = "", drawn = 0;

    function restart() {
      state.runs.forEach((run) => run.worker && run.worker.terminate());
      state.going = false;
      tables.replaceChildren();
      state.chosen = Math.min(state.chosen, state.s.n_seeds - 1);
      state.runs = Array.from({ length: state.s.n_seeds }, (_, k) => {
        const run = { seed: state.s.seed + k, curve: [], events: [], worker: null, over: false, tick: 0 };
        run.button = node("button", { type: "button" }, node("div", {}, tables), `Seed ${run.seed}`);
        run.canvas = node("canvas", { role: "img" }, run.button.parentNode);
        run.button.addEventListener("click", () => { state.chosen = k; later(); });
        const first = core.start({ ...state.s, seed: run.seed }), now = core.look(first);
        state.drops.filter((e) => e.seed === run.seed && e.step === 0 && e.unit < first.net.units).forEach((e) => { first.keep[e.unit] = e.on ? 1 : 0; });
        return Object.assign(run, { now, kinds: first.kinds, clocks: core.clocks(first), keep: Array.from(first.keep), curve: [now] });
      });
      later();
    }

    /** Start the workers of the runs that have none. */
    function ready(run) {
      if (run.worker) return;
      const drops = state.drops.filter((e) => e.seed === run.seed);
      run.events = drops;
      run.curve = [];
      run.worker = worker(({ data }) => {
        run.curve.push(...data.curve);
        Object.assign(run, { now: data.now, kinds: data.kinds, clocks: data.clocks, keep: data.keep, over: data.over, tick: run.tick + 1 });
        run.events = data.events.map((e) => ({ ...e, seed: run.seed }));
        if (state.runs.every((one) => one.over)) state.going = false;
        later();
      });
      run.worker.postMessage({ start: { ...state.s, seed: run.seed }, steps: state.s.steps, events: drops, gentle: state.s.pace === "slow at first" });
    }

    function go(going) {
      state.going = going;
      state.runs.forEach((run) => { ready(run); run.worker.postMessage({ going }); });
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
      const number = name in RANGES || name === "p" || name === "width", next = { ...state.s, [name]: number ? Number(value) : value };
      if (name === "model") for (const other of ["p", "width", "loss", "optimizer", "train_fraction"]) delete next[other];
      if (name === "model" || name === "optimizer") for (const rate of ["learning_rate", "weight_decay"]) delete next[rate];
      state.s = settled(next);
      state.drops = [];
      restart();
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
      const { runs, chosen, s } = state, run = runs[chosen];
      drawn += 1;
      buttons.train.textContent = state.going ? "Pause" : "Train";
      settings(s);
      runs.forEach((one, k) => {
        paintTable(one.canvas, s.p, one);
        const { count, hits, step: at } = one.now, parts = [2, 1, 0].filter((kind) => count[kind]);
        const text = parts.map((kind) => `${KINDS[kind]} ${hits[kind]} of ${count[kind]}`).join(", ");
        one.button.textContent = `Seed ${one.seed}, step ${whole(at)}: ${text}`;
        one.button.setAttribute("aria-pressed", k === chosen);
        one.canvas.setAttribute("aria-label", `Table of all pairs, seed ${one.seed}: answered rightly ${text}`);
      });
      const last = Math.max(10, ...runs.map((one) => one.now.step));
      if (!state.going || drawn % 2) curves.forEach((chart) => chart(runs, chosen, last));
      if (!state.going || drawn % 2 === 0) {
        spectrum(run.now.spectrum);
        clocks(run.clocks, run.keep);
      }
      said.textContent = sentence(run);
      link.href = address(id, s, runs.flatMap((one) => one.events));
      const told = { step: run.now.step, train: run.now.train, unseen: run.now.unseen, keep: run.keep, settings: s, going: state.going,
                     med: run.now.med, gradient: run.now.feature_gradient, loss: run.now.train_loss, over: run.over };
      for (const [name, value] of Object.entries(told)) root.dataset[name] = JSON.stringify(value);
      const news = `${state.going ? "training" : "at rest"}. ${[when(run.curve, "train") && "Training cells known.", when(run.curve, "unseen") && "Unseen cells known."].filter(Boolean).join(" ")}`;
      if (news !== announced) live.textContent = announced = news;
    }

    if (linked) root.scrollIntoView();
    window.addEventListener("hashchange", () => {
      const found = fromAddress(id, location.hash);
      if (!found) return;
      Object.assign(state, { s: found.settings, drops: found.drops });
      restart();
      go(true);
    });
    new MutationObserver(later).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    restart();
    if (linked) go(true);
  }

  return { ...core, settled, address, fromAddress, worker, mount };
})();
