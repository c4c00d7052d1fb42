// What the scripts of figures share: making nodes, words for numbers, paths, and the colours and frame of a figure.
"use strict";

window.GrokbookDraw = window.GrokbookDraw || (function () {
  const SHAPES = ["svg", "g", "defs", "clipPath", "text", "line", "path", "rect", "circle"];

  /** A node of HTML or SVG with attributes, put into `parent`. */
  function node(tag, attributes, parent, text) {
    const made = SHAPES.includes(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag)
      : document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  }

  /** A node of HTML whose text is markup of this script. */
  function html(tag, attributes, parent, markup) {
    const made = node(tag, attributes, parent);
    if (markup !== undefined) made.innerHTML = markup;
    return made;
  }

  const whole = (number) => number.toLocaleString("en");
  const between = (value, [low, high], [from, to]) => from + ((value - low) / (high - low || 1)) * (to - from);
  const line = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

  const LIGHT = "--train: #0072b2; --test: #c14a00; --second: #9a4690; --measure: #00805c; --quiet: #757575; --ink: #222; --ground: var(--pst-color-background, #fff);";
  const DARK = "--train: #62b8f0; --test: #ff9d5c; --second: #dc9ad3; --measure: #35d0a0; --quiet: #9aa0a8; --ink: #e8eaed; --ground: var(--pst-color-background, #14181e);";

  /** Put the style of a kind of figure (its class) into the page once: colours of the book, frame, then `own`. */
  function style(kind, own) {
    if (document.getElementById(`${kind}-style`)) return;
    node("style", { id: `${kind}-style` }, document.head, `
.${kind} { ${LIGHT} color: var(--ink); background: var(--ground); border: 1px solid #8886; border-radius: 6px;
  padding: .75rem; font-size: .92rem; line-height: 1.4; text-align: left; }
html[data-theme="dark"] .${kind} { ${DARK} }
@media print { .${kind}, html[data-theme="dark"] .${kind} { ${LIGHT} --ground: #fff; break-inside: avoid; } }
html[data-theme] .bd-content div.cell_output .text_html:not(:has(table.dataframe)):has(.${kind}) {
  background: transparent; color: inherit; padding: 0; border-radius: 0; }
.${kind} svg { display: block; width: 100%; height: auto; } .${kind} svg text { font: 12px sans-serif; fill: var(--ink); }
.${kind} .frame { stroke: var(--quiet); fill: none; } .${kind} .grid { stroke: var(--quiet); stroke-width: .5; }
.${kind} .curve { fill: none; stroke-width: 2.2; } .${kind} .train { stroke: var(--train); } .${kind} .test { stroke: var(--test); }
.${kind} .gb-row { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; margin: .3rem 0; }
.${kind} .gb-row button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--quiet);
  border-radius: 5px; padding: .3rem .6rem; min-height: 2.2rem; cursor: pointer; }
.${kind} .gb-row button.first { color: var(--ground); background: var(--ink); font-weight: 600; min-width: 6rem; }
.${kind} :focus-visible { outline: 3px solid var(--test) !important; outline-offset: 1px !important; }
.${kind} .gb-said { font-weight: 600; }
.${kind} .gb-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
${own}`);
  }

  return { node, html, whole, between, line, style };
})();
