// A phase diagram whose cells can be opened: a click, or Enter on a cell, shows the curves of its run and where the
// symbols lie at the end. Everything drawn is in data-options; no library, no request. GrokbookPhases.mount(element).
// needs drawing
"use strict";

window.GrokbookPhases = window.GrokbookPhases || (function () {
  const NAMES = { C: "comprehension", G: "grokking", M: "memorisation", X: "confusion", T: "test set only",
                  ".": "not decided" };
  const { node, whole, style } = window.GrokbookDraw;
  const STYLE = `
.gb-phases p { margin: .3rem 0; } .gb-phases .gb-said { font-weight: 600; min-height: 2.8em; }
.gb-phases .gb-cells { display: grid; gap: 2px; margin: .3rem 0; }
.gb-phases .gb-cells span { font-size: .75rem; text-align: center; align-self: center; white-space: nowrap; }
.gb-phases button { font: bold .95rem sans-serif; color: #111; border: 1px solid #7778; border-radius: 3px; padding: 0;
  min-width: 0; min-height: 1.6rem; cursor: pointer; }
@media screen and (max-width: 560px) { .gb-phases .many { gap: 1px; } .gb-phases .many button { font-size: .72rem; } }
.gb-phases .C { background: #8fae3e; } .gb-phases .G { background: #f0e442; } .gb-phases .M { background: #d8789b; }
.gb-phases .X { background: #4a4a4a; color: #fff; } .gb-phases .T { background: #fefefe; }
html[data-theme="dark"] .gb-phases .X { background: #a9adb3; color: #121212; } html[data-theme="dark"] .gb-phases .T { background: #222; color: #e8eaed; }
.gb-phases .open { background: repeating-linear-gradient(45deg, #fff 0 4px, #bbb 4px 6px); }
.gb-phases .differs { outline: 2px dashed var(--ink); outline-offset: -3px; }
.gb-phases button[aria-pressed="true"] { outline: 3px solid var(--ink); outline-offset: -1px; z-index: 1; }
.gb-phases button:focus-visible { z-index: 2; }
.gb-phases svg { max-width: 34rem; margin: 0 auto; } .gb-phases .test { stroke-dasharray: 7 3; }
.gb-phases .dot { fill: var(--measure); } .gb-phases svg text.train-name { fill: var(--train); font-weight: bold; }
.gb-phases svg text.test-name { fill: var(--test); font-weight: bold; }`;
  const MOST = 12, WIDE = 380, HIGH = 150, LINE = 56, LEFT = 40, RIGHT = 10, TOP = 14, FOOT = 22;

  /** What happened in a cell, in a sentence. */
  function said(data, n) {
    const cell = data.cells[n], width = data.xs.length;
    const when = (step) => (step === null ? `not by step ${whole(cell.end)}` : `at step ${whole(step)}`);
    const other = cell.published ? ` Published: ${NAMES[cell.published]}.` : "";
    return `${data.across} ${data.xs[n % width]}, ${data.down} ${data.ys[Math.floor(n / width)]}: ` +
      `${NAMES[cell.phase]}. 90 % of the training set ${when(cell.fit_step)}, of the test set ${when(cell.test_step)}.${other}`;
  }

  /** Both accuracies over the logarithm of the step. */
  function makeCurves(parent, data) {
    const picture = node("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": "Accuracies of the run" }, parent);
    const { first, last } = data;
    const span = Math.log(last / first) || 1, foot = HIGH - FOOT;
    const x = (step) => LEFT + (Math.log(Math.max(step, first) / first) / span) * (WIDE - LEFT - RIGHT);
    const y = (value) => foot - (value / 1000) * (foot - TOP);
    node("path", { class: "frame", d: `M${LEFT} ${TOP}V${foot}H${WIDE - RIGHT}` }, picture);
    for (const level of [0, 500, 900]) {
      node("text", { x: LEFT - 5, y: y(level) + 4, "text-anchor": "end" }, picture, `${level / 10} %`);
    }
    node("text", { x: LEFT, y: HIGH - 6 }, picture, `step ${whole(first)}`);
    node("text", { x: WIDE - RIGHT, y: HIGH - 6, "text-anchor": "end" }, picture, `${whole(last)} (logarithmic)`);
    node("text", { class: "train-name", x: LEFT + 6, y: TOP - 3 }, picture, "training accuracy");
    node("text", { class: "test-name", x: LEFT + 130, y: TOP - 3 }, picture, "test accuracy (dashed)");
    const curves = ["train", "test"].map((name) => node("path", { class: `curve ${name}` }, picture));
    return (cell) => ["train", "test"].forEach((name, i) => {
      const points = cell.steps.map((step, k) => [step, cell[name][k]]).filter(([, value]) => value !== null);
      curves[i].setAttribute("d", points.map(([step, value], k) => `${k ? "L" : "M"}${x(step).toFixed(1)} ${y(value).toFixed(1)}`).join(""));
    });
  }

  /** The symbols on their line at the end of the run, alternating above and below it so that names stay apart. */
  function makeLine(parent) {
    const picture = node("svg", { viewBox: `0 0 ${WIDE} ${LINE}`, role: "img", "aria-label": "Embedding at the end" }, parent);
    return (cell) => {
      picture.replaceChildren();
      node("path", { class: "frame", d: `M${LEFT} 30H${WIDE - RIGHT}` }, picture);
      const middle = (LEFT + WIDE - RIGHT) / 2, half = (WIDE - LEFT - RIGHT) / 2 - 6;
      const order = cell.embedding.map((_, i) => i).sort((a, b) => cell.embedding[a] - cell.embedding[b]);
      order.forEach((i, k) => {
        const x = (middle + (half * cell.embedding[i]) / 1000).toFixed(1);
        node("circle", { class: "dot", cx: x, cy: 30, r: 4, "data-token": i }, picture);
        node("text", { x, y: k % 2 ? 49 : 20, "text-anchor": "middle" }, picture, i);
      });
      node("text", { x: 2, y: 34 }, picture, `±${cell.reach}`);
    };
  }

  /** The cells as buttons; arrows move between them, Enter, space or a click opens one. On a phone a wide diagram is turned. */
  function makeCells(root, data, choose) {
    const width = data.xs.length, turned = width > MOST && window.matchMedia("(max-width: 560px)").matches;
    const [across, down] = turned ? [data.ys, data.xs] : [data.xs, data.ys], every = Math.ceil(across.length / 6);
    const cellAt = (row, column) => (turned ? column * width + row : row * width + column), buttons = [];
    node("p", {}, root, turned ? `Across: ${data.down}. Down: ${data.across}.` : `Across: ${data.across}. Down: ${data.down}.`);
    const letters = "GCMX".split("").map((letter) => `${letter}: ${NAMES[letter]}`);
    node("p", {}, root, `${letters.join(", ")}.`);
    const grid = node("div", { class: across.length > 8 ? "gb-cells many" : "gb-cells", role: "group",
      "aria-label": "Cells of the diagram; arrows move, Enter opens" }, root);
    grid.style.gridTemplateColumns = `${Math.max(2, ...down.map((name) => 0.43 * String(name).length))}rem repeat(${across.length}, minmax(0, 1fr))`;
    down.forEach((name, row) => {
      node("span", {}, grid, name);
      across.forEach((_, column) => {
        const n = cellAt(row, column), { phase, published } = data.cells[n];
        const look = (phase === "." ? "open" : phase) + (published ? " differs" : "");
        const made = buttons[n] = node("button", { type: "button", class: look, tabindex: -1,
          "aria-pressed": "false", "aria-label": said(data, n) }, grid, phase === "." ? "" : phase);
        made.addEventListener("click", () => choose(n));
        made.addEventListener("keydown", (event) => {
          const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
          if (!by) return;
          event.preventDefault();
          const [r, c] = [row + by[0], column + by[1]];
          if (!(r in down) || !(c in across)) return;
          made.tabIndex = -1;
          buttons[cellAt(r, c)].tabIndex = 0;
          buttons[cellAt(r, c)].focus();
        });
      });
    });
    node("span", {}, grid);
    across.forEach((value, n) => {
      if (n % every) return;
      const room = Math.min(every, across.length - n), mark = node("span", {}, grid, room < every ? "" : value);
      mark.style.gridColumn = `span ${room}`;
      mark.style.textAlign = every > 1 ? "left" : "center";
    });
    return buttons;
  }

  /** Draw the figure into an element; its data-options hold the cells. */
  function mount(root) {
    if (root.dataset.mounted) return;
    root.dataset.mounted = "yes";
    style("gb-phases", STYLE);
    const data = JSON.parse(root.dataset.options);
    const buttons = makeCells(root, data, choose);
    const told = node("p", { class: "gb-said", role: "status", "aria-live": "polite" }, root);
    const draws = [makeCurves(root, data)];
    node("p", {}, root, "Where the symbols lie at the end of the run:");
    draws.push(makeLine(root));

    function choose(n) {
      buttons.forEach((button, k) => {
        button.setAttribute("aria-pressed", String(k === n));
        button.tabIndex = k === n ? 0 : -1;
      });
      told.textContent = said(data, n).replace(/^./, (letter) => letter.toUpperCase());
      draws.forEach((draw) => draw(data.cells[n]));
      Object.assign(root.dataset, { cell: n, phase: data.cells[n].phase });
    }
    choose(data.start || 0);
  }

  return { said, mount };
})();
