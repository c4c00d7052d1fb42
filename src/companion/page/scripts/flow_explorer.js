// The flow x' = (d - xwu) wu, w' = (d - xwu) xu, u' = (d - xwu) xw, to be explored in the page: a reader moves the
// start and sees path, conserved quantities and limit. No library, no request. GrokbookFlow.mount(element) draws it.
// needs drawing
"use strict";

window.GrokbookFlow = window.GrokbookFlow || (function () {
  const { node: svg, html, style } = window.GrokbookDraw;

  // ------------------------------------------------------------------ mathematics: pure functions of numbers

  const NAMES = ["x", "w", "u"];
  const product = ([x, w, u]) => x * w * u;
  const gradient = ([x, w, u]) => [w * u, x * u, x * w];
  const norm = (v) => Math.hypot(...v);
  const farthest = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));

  /** The right-hand side of the system. */
  function velocity(point, target) {
    const rest = target - product(point);
    return gradient(point).map((g) => rest * g);
  }

  /** The two quantities that never change: x^2 - w^2 and w^2 - u^2. */
  function conserved([x, w, u]) {
    return [(x - w) * (x + w), (w - u) * (w + u)];
  }

  /** The printed function V, the squared distance from (1, 1, 1). */
  function lyapunov(point) {
    return point.reduce((sum, value) => sum + (value - 1) ** 2, 0);
  }

  /** dV/dt along the flow with target 1: 2 (1 - P)(3P - wu - xu - xw) with P = xwu. */
  function lyapunovRate(point) {
    const p = product(point);
    return 2 * (1 - p) * (3 * p - gradient(point).reduce((a, b) => a + b));
  }

  // Coefficients of Dormand and Prince's pair of orders 5 and 4; the last stage is the first of the next step.
  const STAGES = [
    [1 / 5],
    [3 / 40, 9 / 40],
    [44 / 45, -56 / 15, 32 / 9],
    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
  ];
  const ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];

  const combine = (weights, slopes, i) => weights.reduce((sum, a, j) => sum + a * slopes[j][i], 0);

  /** One step of length h: the new point, its slope, and the error in units of the tolerance. */
  function step(point, slope, h, target, rtol, atol) {
    const slopes = [slope];
    let next = point;
    for (const weights of STAGES) {
      next = point.map((value, i) => value + h * combine(weights, slopes, i));
      slopes.push(velocity(next, target));
    }
    const errors = point.map((value, i) => {
      const scale = atol + rtol * Math.max(Math.abs(value), Math.abs(next[i]));
      return Math.abs(h * combine(ERROR, slopes, i)) / scale;
    });
    return { next, slope: slopes[6], error: Math.max(...errors) };
  }

  /** The path of a start until its speed is below `rest`: times and points, and whether it came to rest. */
  function integrate(start, target, { rtol = 1e-10, atol = 1e-13, rest = 1e-12, maxSteps = 20000 } = {}) {
    const times = [0], points = [start.slice()];
    let point = start.slice(), slope = velocity(point, target), t = 0;
    let h = 0.01 / (1 + norm(slope));
    for (let n = 0; n < maxSteps && norm(slope) > rest; n++) {
      const tried = step(point, slope, h, target, rtol, atol);
      if (tried.error <= 1) {
        t += h;
        point = tried.next;
        slope = tried.slope;
        times.push(t);
        points.push(point);
      }
      h *= Math.min(5, Math.max(0.2, 0.9 * Math.max(tried.error, 1e-10) ** -0.2));
      h = Math.min(h, 2 / norm(gradient(point)) ** 2); // near the surface: inside the region of stability
    }
    return { times, points, atRest: norm(slope) <= rest };
  }

  /** Which case a start is: "resting", "saddle", "crossing" or "surface" (for target 0: "resting" or "plane"). */
  function kind(start, target) {
    const [low, middle] = start.map(Math.abs).sort((a, b) => a - b);
    if (middle === 0 || (target === 0 && low === 0)) return "resting";
    if (target === 0) return "plane";
    if (Math.sign(product(start)) * Math.sign(target) < 0) return low === middle ? "saddle" : "crossing";
    return "surface";
  }

  /** tau >= 0 with tau (tau + d1)(tau + d2) = target^2: Newton's method from above, where the cubic is convex. */
  function cubicRoot(d1, d2, target) {
    const right = target * target;
    let tau = Math.cbrt(right);
    for (let n = 0; n < 200; n++) {
      const value = tau * (tau + d1) * (tau + d2) - right;
      const slope = (tau + d1) * (tau + d2) + tau * (2 * tau + d1 + d2);
      const next = tau - value / slope;
      if (!(next < tau)) break;
      tau = next;
    }
    return tau;
  }

  /** Where the start ends, from conserved quantities and one cubic; nothing is integrated. */
  function limitPoint(start, target) {
    const found = kind(start, target), size = start.map(Math.abs);
    if (found === "resting") return start.slice();
    const low = Math.min(...size), least = size.indexOf(low);
    const gaps = size.map((value) => (value - low) * (value + low));
    const signs = start.map(Math.sign);
    if (found === "plane" || found === "saddle") return gaps.map((gap, i) => signs[i] * Math.sqrt(gap) + 0);
    const [d1, d2] = gaps.filter((_, i) => i !== least);
    const tau = cubicRoot(d1, d2, target);
    const others = signs.reduce((sign, value, i) => (i === least ? sign : sign * value), 1);
    signs[least] = Math.sign(target) * others;
    return gaps.map((gap, i) => signs[i] * Math.sqrt(i === least ? tau : tau + gap));
  }

  const listed = (names) => names.slice(0, -1).join(", ") + " and " + names[names.length - 1];
  const leastNames = (point) => {
    const size = point.map(Math.abs), low = Math.min(...size);
    return NAMES.filter((_, i) => size[i] === low);
  };

  /** What happens to this start, in one sentence (the words of grokbook_chapters.lyapunov_phase_portrait.explained). */
  function explain(start, target) {
    const zeros = NAMES.filter((_, i) => start[i] === 0);
    const rest = "where nothing moves, so the limit is the start itself";
    if (zeros.length >= 2) {
      const free = NAMES.filter((name) => !zeros.includes(name));
      const where = free.length ? `lies on the ${free[0]}-axis` : "is the origin";
      return `${zeros.join(" = ")} = 0: the start ${where}, ${rest}.`;
    }
    const least = leastNames(start);
    if (target === 0) {
      if (zeros.length) return `${zeros[0]} = 0: the product is 0, the target, so the limit is the start itself.`;
      return least.length === 1
        ? `${least[0]} has the smallest magnitude: it falls to 0, and its square is taken from all three.`
        : `${listed(least)} share the smallest magnitude: they fall to 0 together, slower than any exponential.`;
    }
    const found = kind(start, target);
    if (found === "saddle") {
      const where = least.length === 3 ? "the origin" : `the ${NAMES.find((n) => !least.includes(n))}-axis`;
      return `x w u and the target have opposite signs and ${listed(least)} share the smallest magnitude: ` +
        `the start is drawn to ${where}, a saddle, and never reaches x w u = ${target}.`;
    }
    if (found === "crossing") {
      return `x w u and the target have opposite signs: ${least[0]}, the smallest, goes through 0 and changes ` +
        `its sign, then the surface x w u = ${target} is reached.`;
    }
    if (zeros.length) {
      return `${zeros[0]} = 0: it leaves 0 at once, and the start reaches the surface x w u = ${target}.`;
    }
    if (norm(velocity(start, target)) === 0) return `the start lies on the surface x w u = ${target}, ${rest}.`;
    return `the start reaches the surface x w u = ${target}; no coordinate changes its sign.`;
  }

  /** Where dV/dt > 0 on a path (target 1): a flag for each piece, the share of the length, and V at its lowest. */
  function rising(points) {
    const up = points.map((point) => lyapunovRate(point) > 1e-12);
    const flags = up.slice(1).map((value, i) => value && up[i]);
    const lengths = points.slice(1).map((point, i) => norm(point.map((value, j) => value - points[i][j])));
    const total = lengths.reduce((a, b) => a + b, 0);
    const length = lengths.reduce((sum, value, i) => sum + (flags[i] ? value : 0), 0);
    const values = points.map(lyapunov);
    return { flags, share: total ? length / total : 0, first: values[0], lowest: Math.min(...values),
             last: values[values.length - 1] };
  }

  /** Everything that the figure says about a start. */
  function study(start, target) {
    const path = integrate(start, target);
    const limit = limitPoint(start, target), end = path.points[path.points.length - 1];
    const before = conserved(start);
    const drift = [0, 1].map((k) => Math.max(...path.points.map((p) => Math.abs(conserved(p)[k] - before[k]))));
    return { ...path, start, target, limit, end, conserved: before, drift, gap: farthest(limit, end),
             time: path.times[path.times.length - 1], rising: target === 1 ? rising(path.points) : null,
             said: explain(start, target) };
  }

  // ------------------------------------------------------------------ drawing

  const RANGE = 2.25, REACH = 2, SIDE = 320, LEFT = 30, BOTTOM = 28, EDGE = 8;
  const PLANES = [{ key: "xw", across: 0, up: 1, hidden: 2 }, { key: "uw", across: 2, up: 1, hidden: 0 }];
  const PRESETS = [
    ["Diagonal", [0.3, 0.3, 0.3], 1],
    ["Corner of the cube", [0.05, 0.05, 1], 1],
    ["V rises", [0.8, 1.8, 1.9], 1],
    ["Negative product", [-0.3, 1.2, 0.8], 1],
    ["Drawn to a saddle", [0.5, -0.5, 1.2], 1],
    ["On an axis", [0, 0, 0.7], 1],
  ];
  const STYLE = `
.gb-flow { --path: var(--train); --up: var(--test); --surface: var(--measure); --line: var(--ink); }
.gb-flow p { margin: .4rem 0; } .gb-flow i { font-family: Georgia, serif; }
.gb-flow fieldset { border: 0; padding: 0; margin: 0; min-width: 0; display: flex; flex-wrap: wrap; gap: 0 .9rem; }
.gb-flow input[type=radio] { width: 24px; height: 24px; vertical-align: middle; margin: 0 .3rem 0 0; }
.gb-flow legend { float: left; padding: 0 .2rem 0 0; margin: 0; font: inherit; line-height: 2.2rem; width: auto; }
.gb-flow label { display: inline-flex; gap: .35rem; align-items: center; min-height: 2.2rem; margin: 0; }
.gb-flow .gb-planes { display: flex; flex-wrap: wrap; gap: .75rem; }
.gb-flow .gb-planes > div { flex: 1 1 270px; min-width: 0; max-width: 430px; margin: 0 auto; }
.gb-flow svg { overflow: hidden; }
.gb-flow svg .name { font: italic 16px Georgia, serif; }
.gb-flow .surface { fill: none; stroke: var(--surface); stroke-width: 2.2; }
.gb-flow .rail { fill: none; stroke: var(--line); stroke-width: 1; stroke-dasharray: 5 4; }
.gb-flow .path { fill: none; stroke: var(--path); stroke-width: 3; }
.gb-flow .rising { fill: none; stroke: var(--up); stroke-width: 10; stroke-opacity: .85; }
.gb-flow .one { fill: none; stroke: var(--quiet); stroke-width: 1.5; } .gb-flow .end { fill: var(--path); } .gb-flow .limit { fill: none; stroke: var(--line); stroke-width: 1.8; }
.gb-flow .handle { cursor: grab; touch-action: none; }
.gb-flow .handle .hit { fill: transparent; stroke: transparent; }
.gb-flow .handle .dot { fill: var(--ground); stroke: var(--path); stroke-width: 3.5; }
.gb-flow .handle.held { cursor: grabbing; } .gb-flow .handle.held .dot { fill: var(--path); }
.gb-flow .gb-slider { display: grid; grid-template-columns: 1.2rem minmax(0, 1fr) 3.4rem; gap: .5rem; width: 100%; }
.gb-flow input[type=range] { width: 100%; accent-color: var(--path); min-height: 2rem; margin: 0; }
.gb-flow output { font-variant-numeric: tabular-nums; text-align: right; }
.gb-flow table { border-collapse: collapse; margin: .4rem 0; width: 100%; max-width: 30rem; color: inherit; }
.gb-flow th, .gb-flow td { text-align: right; padding: .15rem .3rem; border: 0; border-bottom: 1px solid #8886;
  background: transparent; color: inherit; font-variant-numeric: tabular-nums; }
.gb-flow thead tr { background: transparent; } .gb-flow tr > :first-child { text-align: left; }
.gb-flow ul { margin: .4rem 0; padding-left: 1.2rem; }
.gb-flow .key { display: inline-flex; align-items: center; gap: .3rem; margin-right: .7rem; }
.gb-flow .key[hidden] { display: none; }
.gb-flow .key svg { width: 26px; height: 12px; flex: none; }
@media print { .gb-flow .gb-controls { display: none; } }`;

  const across = (value) => LEFT + ((value + RANGE) / (2 * RANGE)) * (SIDE - LEFT - EDGE);
  const upward = (value) => SIDE - BOTTOM - ((value + RANGE) / (2 * RANGE)) * (SIDE - BOTTOM - EDGE);
  const fixed = (value, digits) => value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1").replace("-", "\u2212");
  const power = (value) => value === 0 ? "0" : value.toExponential(0).replace("-", "\u2212");

  const line = (points) => points.map(([a, b], i) => `${i ? "L" : "M"}${across(a).toFixed(2)} ${upward(b).toFixed(2)}`)
    .join("");
  const samples = Array.from({ length: 181 }, (_, i) => -RANGE - 0.1 + (i / 180) * (2 * RANGE + 0.2));

  /** The branch of a^2 - b^2 = c through the start: the rail on which the path must stay. */
  function rail(a, b) {
    const c = (a - b) * (a + b);
    if (a === 0 && b === 0) return "";
    if (c === 0) return line(samples.map((t) => [t, t * Math.sign(a) * Math.sign(b)]));
    return c > 0
      ? line(samples.map((t) => [Math.sign(a) * Math.sqrt(c + t * t), t]))
      : line(samples.map((t) => [t, Math.sign(b) * Math.sqrt(t * t - c)]));
  }

  /** The set a b = level: two branches of a hyperbola, or the two axes. */
  function slice(level) {
    if (level === 0) return line([[-RANGE, 0], [RANGE, 0]]) + line([[0, -RANGE], [0, RANGE]]);
    const far = RANGE + 0.1, low = Math.min(far, Math.abs(level) / far), pieces = [];
    const logs = Array.from({ length: 61 }, (_, i) => low * (far / low) ** (i / 60));
    for (const sign of [1, -1]) pieces.push(line(logs.map((t) => [sign * t, level / (sign * t)])));
    return low < far ? pieces.join("") : "";
  }

  /** One plane of the figure: frame, curves, and the handle; `draw(study)` brings it up to date. */
  function makePlane(parent, id, plane, move) {
    const [a, b, hidden] = [NAMES[plane.across], NAMES[plane.up], NAMES[plane.hidden]];
    const box = html("div", {}, parent);
    const view = svg("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, id: `${id}-${plane.key}`, role: "group",
                              "aria-label": `plane of ${a} and ${b}` }, box);
    const clip = svg("clipPath", { id: `${id}-${plane.key}-clip` }, svg("defs", {}, view));
    const frame = { x: LEFT, y: EDGE, width: SIDE - LEFT - EDGE, height: SIDE - BOTTOM - EDGE };
    svg("rect", frame, clip);
    for (const tick of [-2, -1, 0, 1, 2]) {
      const text = String(tick).replace("-", "\u2212");
      if (tick === 0) {
        svg("line", { class: "grid", x1: across(0), x2: across(0), y1: EDGE, y2: SIDE - BOTTOM }, view);
        svg("line", { class: "grid", x1: LEFT, x2: SIDE - EDGE, y1: upward(0), y2: upward(0) }, view);
      }
      svg("text", { x: across(tick), y: SIDE - BOTTOM + 15, "text-anchor": "middle" }, view).textContent = text;
      svg("text", { x: LEFT - 5, y: upward(tick) + 4, "text-anchor": "end" }, view).textContent = text;
    }
    svg("text", { class: "name", x: across(1.5), y: SIDE - BOTTOM + 18, "text-anchor": "middle" }, view).textContent = a;
    svg("text", { class: "name", x: LEFT - 8, y: upward(1.5) + 4, "text-anchor": "end" }, view).textContent = b;
    svg("rect", { class: "frame", ...frame }, view);
    const layer = svg("g", { "clip-path": `url(#${id}-${plane.key}-clip)` }, view);
    const curve = Object.fromEntries(["surface", "rail", "rising", "path"].map((name) =>
      [name, svg("path", { class: name, id: `${id}-${plane.key}-${name}` }, layer)]));
    const [cx, cy] = [across(1), upward(1)];
    const one = svg("path", { class: "one", d: `M${cx - 6} ${cy}l6 -6l6 6l-6 6z` }, view);
    const end = svg("circle", { class: "end", id: `${id}-${plane.key}-end`, r: 4.5 }, view);
    const cross = svg("path", { class: "limit", id: `${id}-${plane.key}-limit` }, view);
    const handle = svg("g", { class: "handle", id: `${id}-${plane.key}-handle`, tabindex: 0, role: "application",
                              "aria-roledescription": "movable point" }, view);
    svg("circle", { class: "hit", r: 23 }, handle);
    svg("circle", { class: "dot", r: 7 }, handle);
    makeMovable(view, handle, plane, move);
    const note = html("p", { id: `${id}-${plane.key}-note` }, box);

    return function draw(found) {
      const flat = (p) => [p[plane.across], p[plane.up]];
      const points = found.points.map(flat), level = found.limit[plane.hidden];
      curve.path.setAttribute("d", line(points));
      curve.rail.setAttribute("d", rail(...flat(found.start)));
      curve.surface.setAttribute("d", level === 0 ? "" : slice(found.target / level));
      curve.rising.setAttribute("d", found.rising
        ? found.rising.flags.map((up, i) => (up ? line([points[i], points[i + 1]]) : "")).join("") : "");
      one.setAttribute("visibility", found.target === 1 ? "visible" : "hidden");
      const [ex, ey] = flat(found.end), [lx, ly] = flat(found.limit).map((v, i) => (i ? upward(v) : across(v)));
      end.setAttribute("cx", across(ex));
      end.setAttribute("cy", upward(ey));
      cross.setAttribute("d", `M${lx - 8} ${ly}H${lx + 8}M${lx} ${ly - 8}V${ly + 8}`);
      const [sx, sy] = flat(found.start);
      handle.setAttribute("transform", `translate(${across(sx).toFixed(2)} ${upward(sy).toFixed(2)})`);
      handle.setAttribute("aria-label", `start at ${a} = ${fixed(sx, 2)}, ${b} = ${fixed(sy, 2)}; arrow keys move it`);
      note.innerHTML = level === 0 ? `The limit has <i>${hidden}</i> = 0.`
        : `The surface is cut at the limit's <i>${hidden}</i> = ${fixed(level, 3)}.`;
    };
  }

  /** Let a handle be dragged by mouse, pen or finger and moved by the arrow keys. */
  function makeMovable(view, handle, plane, move) {
    let grabbed = null;
    const where = (event) => {
      const box = view.getBoundingClientRect(), scale = SIDE / box.width;
      const px = (event.clientX - box.left) * scale, py = (event.clientY - box.top) * scale;
      return [((px - LEFT) / (SIDE - LEFT - EDGE)) * 2 * RANGE - RANGE,
              ((SIDE - BOTTOM - py) / (SIDE - BOTTOM - EDGE)) * 2 * RANGE - RANGE];
    };
    handle.addEventListener("pointerdown", (event) => {
      const at = where(event), now = move.now();
      grabbed = [now[plane.across] - at[0], now[plane.up] - at[1]];
      handle.setPointerCapture(event.pointerId);
      handle.classList.add("held");
      handle.focus({ preventScroll: true });
      event.preventDefault();
    });
    // touch-action alone lets the page scroll a little before a child of an svg has its way
    handle.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    handle.addEventListener("pointermove", (event) => {
      if (!grabbed) return;
      const at = where(event).map((value, i) => value + grabbed[i]).map((v) => (Math.abs(v) < 0.03 ? 0 : v));
      move.to({ [plane.across]: at[0], [plane.up]: at[1] });
    });
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
      handle.addEventListener(name, () => {
        grabbed = null;
        handle.classList.remove("held");
      });
    }
    handle.addEventListener("keydown", (event) => {
      const size = event.shiftKey ? 0.01 : 0.05;
      const by = { ArrowLeft: [plane.across, -size], ArrowRight: [plane.across, size], ArrowUp: [plane.up, size],
                   ArrowDown: [plane.up, -size] }[event.key];
      if (!by) return;
      event.preventDefault();
      move.to({ [by[0]]: move.now()[by[0]] + by[1] });
    });
  }

  function makeControls(root, id, state, set) {
    const box = html("div", { class: "gb-controls" }, root);
    const row = html("div", { class: "gb-row", role: "group", "aria-label": "starts to try" }, box);
    for (const [label, start, target] of PRESETS) {
      html("button", { type: "button", "data-preset": label }, row, label)
        .addEventListener("click", () => set(start, target));
    }
    html("button", { type: "button", "data-preset": "Reset" }, row, "Reset")
      .addEventListener("click", () => set(state.first.start, state.first.target));
    const field = html("fieldset", {}, box);
    html("legend", {}, field, "Target");
    const radios = [1, 0].map((target) => {
      const label = html("label", {}, field);
      const radio = html("input", { type: "radio", name: `${id}-target`, value: target }, label);
      label.append(`δ = ${target}`);
      radio.addEventListener("change", () => set(state.start, target));
      return radio;
    });
    return () => radios.forEach((radio) => { radio.checked = Number(radio.value) === state.target; });
  }

  function makeSliders(root, id, state, move) {
    const box = html("div", { class: "gb-controls" }, root);
    const rows = NAMES.map((name, i) => {
      const label = html("label", { class: "gb-slider" }, box, `<i>${name}</i>`);
      const slider = html("input", { type: "range", min: -REACH, max: REACH, step: 0.01, id: `${id}-${name}`,
                                     "aria-label": `start ${name}` }, label);
      const shown = html("output", { for: `${id}-${name}` }, label);
      slider.addEventListener("input", () => move.to({ [i]: Number(slider.value) }));
      return { slider, shown };
    });
    return () => rows.forEach(({ slider, shown }, i) => {
      slider.value = state.start[i];
      shown.textContent = fixed(state.start[i], 2);
    });
  }

  const KEYS = [["path", "the path, integrated in this page"], ["rail", "the curve on which it must stay"],
                ["surface", "the surface <i>xwu</i> = target"], ["rising", "d<i>V</i>/d<i>t</i> &gt; 0"]];

  /** The legend; what shows in it that V rises is there where it does. */
  function makeLegend(root) {
    const box = html("p", { class: "gb-legend" }, root);
    for (const [name, text] of KEYS) {
      const key = html("span", { class: `key of-${name}` }, box);
      svg("path", { class: name, d: "M1 6H25" }, svg("svg", { viewBox: "0 0 26 12", "aria-hidden": "true" }, key));
      html("span", {}, key, text);
    }
    html("span", { class: "key" }, box, "○ start &nbsp; ● end of the path &nbsp; + exact limit &nbsp; ◇&nbsp;(1,&nbsp;1,&nbsp;1)");
    const key = box.querySelector(".of-rising");
    return (found) => { key.hidden = !(found.rising && found.rising.flags.some(Boolean)); };
  }

  function readings(found) {
    const cells = NAMES.map((name, i) => `<tr><th scope="row"><i>${name}</i></th><td>${fixed(found.start[i], 2)}</td>` +
      `<td>${fixed(found.end[i], 6)}</td><td>${fixed(found.limit[i], 6)}</td></tr>`).join("");
    const kept = ["<i>x</i>² − <i>w</i>²", "<i>w</i>² − <i>u</i>²"].map((name, k) =>
      `<li data-kept="${k}">${name} = ${fixed(found.conserved[k], 4)} at the start; largest change on the path ` +
      `${power(found.drift[k])}.</li>`).join("");
    const turn = found.rising && found.rising.share > 0.0005
      ? `<li data-rising="yes"><b>d<i>V</i>/d<i>t</i> &gt; 0</b> on ${fixed(100 * found.rising.share, 1)} % of the ` +
        `path's length: <i>V</i> = ${fixed(found.rising.first, 4)} at the start, ${fixed(found.rising.lowest, 4)} at ` +
        `its lowest, ${fixed(found.rising.last, 4)} at the end. The printed argument fails here.</li>`
      : `<li data-rising="no">${found.rising ? "d<i>V</i>/d<i>t</i> ≤ 0 on the whole path."
        : "<i>V</i> belongs to target 1."}</li>`;
    return `<table><thead><tr><th scope="col">number</th><th scope="col">start</th><th scope="col">end of path</th>` +
      `<th scope="col">exact limit</th></tr></thead><tbody>${cells}</tbody></table><ul>` +
      `<li>Path and exact limit differ by ${power(found.gap)} after time ${found.time.toPrecision(3)} ` +
      `(${found.times.length - 1} steps)${found.gap > 1e-5 ? "; near the limit the path gets slower and slower" : ""}.</li>` +
      `<li><i>xwu</i> = ${fixed(product(found.start), 4)} at the start, ${fixed(product(found.end), 4)} at the end.</li>` +
      `${kept}${turn}</ul>`;
  }

  /** Draw the figure into an element; its data-options give the first start and target. */
  function mount(root) {
    if (root.dataset.mounted) return;
    root.dataset.mounted = "yes";
    const id = root.id, options = JSON.parse(root.dataset.options || "{}");
    style("gb-flow", STYLE);
    const first = { start: options.start || [0.2, 0.5, 0.9], target: options.target ?? 1 };
    const state = { first, start: first.start.slice(), target: first.target };
    const limited = (v) => Math.round(Math.min(REACH, Math.max(-REACH, v)) * 100) / 100 + 0;
    const set = (start, target) => { state.start = start.slice(); state.target = target; update(); };
    const move = {
      now: () => state.start,
      to: (change) => set(state.start.map((value, i) => (i in change ? limited(change[i]) : value)), state.target),
    };
    html("p", {}, root, "Drag the blue circle: where does its path end?");
    const planes = html("div", { class: "gb-planes" }, root);
    const draws = PLANES.map((plane) => makePlane(planes, id, plane, move)).concat(makeLegend(root));
    const refresh = [makeControls(root, id, state, set), makeSliders(root, id, state, move)];
    const said = html("p", { id: `${id}-said`, class: "gb-said" }, root), read = html("div", { id: `${id}-readings` }, root);
    const live = html("p", { id: `${id}-live`, class: "gb-hidden", role: "status", "aria-live": "polite" }, root);
    let timer = null;

    function update() {
      const found = study(state.start, state.target);
      draws.forEach((draw) => draw(found));
      refresh.forEach((run) => run());
      said.textContent = found.said.replace(/^the/, "The");
      read.innerHTML = readings(found);
      for (const key of ["start", "target", "end", "limit", "conserved", "drift", "gap"]) {
        root.dataset[key] = JSON.stringify(found[key]);
      }
      clearTimeout(timer);
      timer = setTimeout(() => { live.textContent = spoken(found); }, 400);
    }
    update();
  }

  function spoken(found) {
    const triple = (point) => NAMES.map((name, i) => `${name} = ${fixed(point[i], 3)}`).join(", ");
    const up = found.rising && found.rising.share > 0.0005 ? " V rises on a part of the path." : "";
    return `Start ${triple(found.start)}. ${found.said} Limit ${triple(found.limit)}. Conserved: ` +
      `${fixed(found.conserved[0], 3)} and ${fixed(found.conserved[1], 3)}.${up}`;
  }

  return { velocity, conserved, lyapunov, lyapunovRate, integrate, limitPoint, explain, rising, study, mount };
})();
