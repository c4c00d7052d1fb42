// A page for a class, without a server: the page that trains in large type; a link, and its QR code, that gives each group its
// own value of one setting; a link for each group's result; the plot of the links that a lecturer pastes.
// The part of the address after `#` says what is seen: train (or nothing), join, group, result.
// needs training_page
"use strict";

window.GrokbookClass = window.GrokbookClass || (function () {
  const { node, whole, between, style } = window.GrokbookDraw, trainer = window.GrokbookTraining;
  const has = Object.hasOwn; // every object has a constructor, which is no setting

  /** What may differ between groups: its name in words, and the values proposed for n groups. */
  const VARIED = {
    train_fraction: ["share trained", (n) => spread(n, 0.25, 0.6, 2)],
    p: ["modulus p", (n, s) => trainer.CHOICES[s.model].p.filter((p) => p >= 11).slice(0, n)],
    weight_decay: ["weight decay", (n, s) => Array.from({ length: n }, (_, k) => (k ? short(s.weight_decay * 2 ** (k - 2)) : 0))],
    learning_rate: ["learning rate", (n, s) => Array.from({ length: n }, (_, k) => short(s.learning_rate * 2 ** (k - (n >> 1))))],
    temperature: ["temperature T", (n) => spread(n, 0.5, 3, 1)],
    seed: ["random seed", (n, s) => Array.from({ length: n }, (_, k) => s.seed + k * s.n_seeds)],
  };
  const MOST = 12, MOST_LINKS = 500;
  const short = (value) => Number(value.toPrecision(2));
  const spread = (n, low, high, digits) =>
    Array.from({ length: n }, (_, k) => Number(between(k, [0, Math.max(n - 1, 1)], [low, high]).toFixed(digits)));

  // ------------------------------------------------------------------ addresses

  /** `#view?...`: the settings that differ from the usual ones, and the fields of the view. */
  function written(view, settings, fields) {
    const usual = trainer.settled({ model: settings.model, optimizer: settings.optimizer, n_seeds: 1 });
    const told = Object.entries(settings).filter(([name, value]) => has(usual, name) && !has(fields, name) &&
      (name === "model" || name === "optimizer" || value !== usual[name]));
    return `#${view}?${new URLSearchParams({ ...Object.fromEntries(told), ...fields })}`;
  }

  /** What an address says: the view, its fields as texts, and settings that can be run. */
  function read(hash) {
    const [, view = "train", query = ""] = /^#(\w+)\??(.*)$/.exec(hash) || [];
    const fields = Object.fromEntries(new URLSearchParams(query)), known = trainer.settled({}), given = {};
    for (const [name, text] of Object.entries(fields).filter(([one]) => has(known, one))) {
      given[name] = text !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
    }
    return { view, fields, settings: trainer.settled({ n_seeds: 1, ...given }) };
  }

  /** The values of a class, as they are run: numbers within the range of the setting; null for words that are none. */
  function values(text, vary, settings) {
    const given = text.split(/[\s,;_]+/).filter(Boolean).map(Number);
    if (!given.length || given.length > MOST || given.some(Number.isNaN)) return null;
    return given.map((value) => trainer.settled({ ...settings, [vary]: value })[vary]);
  }

  /** A class as an address for those who join it. */
  function joinAddress(settings, vary, list) {
    const { [vary]: _, ...others } = settings;
    return written("join", others, { vary, values: list.join("_") });
  }

  /** What a group found, as an address: for each seed the steps at which pairs were fitted and the rule was found, or where it ended. */
  function resultAddress(settings, vary, group, ends) {
    const steps = (name) => ends.map((end) => (end[name] === null ? "none" : end[name])).join("_");
    return written("result", settings, { vary, [vary]: settings[vary], group, fit: steps("fit"), rule: steps("rule"), last: ends.map((end) => end.step).join("_") });
  }

  /** A result of an address: {vary, group, value, ends, settings}; a sentence where it cannot be read. */
  function resultOf(hash) {
    const { view, fields, settings } = read(hash), lists = ["fit", "rule", "last"].map((name) => (fields[name] || "").split("_"));
    if (view !== "result" || !has(VARIED, fields.vary)) return "it names no result of a class";
    const whole = lists.every((list) => list.length === lists[0].length && list.every((text) => /^(\d+|none)$/.test(text)));
    if (!whole || lists[2].includes("none")) return "its steps are not numbers";
    const [runs, longest] = [trainer.RANGES.n_seeds[1], trainer.RANGES.steps[1]];
    if (lists[0].length > runs || lists.flat().some((text) => Number(text) > longest)) return "it has more steps or runs than this page makes";
    if (!/^\d{1,4}$/.test(fields.group || "")) return "it names no group";
    const number = (text) => (text === "none" ? null : Number(text));
    const ends = lists[0].map((fit, k) => ({ fit: number(fit), rule: number(lists[1][k]), step: Number(lists[2][k]) }));
    return { vary: fields.vary, group: Number(fields.group), value: settings[fields.vary], ends, settings, hash };
  }

  /** The results in a text, one a group and value, of the class that most of them belong to; of each other link why not. */
  function collected(text) {
    const links = [...text.matchAll(/#result[^\s"'<>)\]]*/g)].map(([hash]) => hash), wrong = [], classes = new Map();
    if (links.length > MOST_LINKS) wrong.push(`There are ${links.length} links; the first ${MOST_LINKS} are read.`);
    for (const [hash, one] of links.slice(0, MOST_LINKS).map((link) => [link, resultOf(link)])) {
      if (typeof one === "string") wrong.push(`${hash.slice(0, 60)}: ${one}.`);
      else classes.set(common(one), [...(classes.get(common(one)) || []), one]);
    }
    const [own = [], ...others] = [...classes.values()].sort((a, b) => b.length - a.length), found = new Map();
    own.forEach((one) => found.set(`${one.group} ${one.value}`, one));
    others.flat().forEach((one) => wrong.push(`Group ${one.group} is of another class: ${difference(own[0], one)}.`));
    return { results: [...found.values()].sort((a, b) => a.value - b.value || a.group - b.group), wrong };
  }

  /** What all results of a class share, as a text. */
  const common = ({ vary, settings }) => vary + JSON.stringify(Object.entries(settings).filter(([name]) => name !== vary && name !== "pace"));

  function difference(a, b) {
    if (a.vary !== b.vary) return `it varies the ${VARIED[b.vary][0]}, the class the ${VARIED[a.vary][0]}`;
    const name = Object.keys(a.settings).find((one) => one !== a.vary && one !== "pace" && a.settings[one] !== b.settings[one]);
    return `its ${trainer.LABELS[name] || name} is ${b.settings[name]}, not ${a.settings[name]}`;
  }

  /** What a group found, in a sentence. */
  function sentence({ vary, group, value, ends }) {
    const told = ends.map(({ fit, rule, step }) => {
      const known = fit === null ? `training pairs not known by step ${whole(step)}` : `training pairs known from step ${whole(fit)}`;
      return `${known}, ${rule === null ? `held-out pairs not by step ${whole(step)}` : `held-out pairs from step ${whole(rule)}`}`;
    });
    return `Group ${group}, ${VARIED[vary][0]} ${value}: ${told.join("; ")}.`;
  }

  // ------------------------------------------------------------------ drawing

  const STYLE = `
.gb-class { border: 0; padding: 0; font-size: clamp(1rem, 1.35vw, 1.5rem); }
.gb-class :is(h1, h2) { line-height: 1.2; margin: 1.6em 0 .4em; } .gb-class h1 { font-size: 1.5em; margin-top: .3em; }
.gb-class h2 { font-size: 1.25em; } .gb-class p { margin: .5em 0; max-width: 44em; }
.gb-class a { color: var(--train); overflow-wrap: anywhere; }
.gb-class .gb-ask { display: grid; gap: .6rem 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15em), 1fr)); }
.gb-class label:has(#gb-values) { grid-column: 1 / -1; }
.gb-class :is(input, select, textarea) { font: inherit; color: inherit; background: transparent; border: 1px solid var(--quiet);
  border-radius: 4px; padding: .3em .5em; width: 100%; box-sizing: border-box; min-height: 2.4em; }
.gb-class select option { color: #111; background: #fff; } .gb-class textarea { min-height: 6em; }
.gb-class .gb-join { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: center; margin: 1rem 0; }
.gb-class .gb-qr { flex: none; width: min(19rem, 100%); background: #fff; padding: 1rem; border-radius: 6px; box-sizing: border-box; }
.gb-class .gb-join > div { flex: 1 1 16em; min-width: 0; }
.gb-class .gb-which { display: grid; gap: .7rem; grid-template-columns: repeat(auto-fill, minmax(8em, 1fr)); }
.gb-class .gb-which a { display: block; border: 1px solid var(--quiet); border-radius: 6px; padding: .8em; color: inherit; text-decoration: none; }
.gb-class .gb-which b { display: block; font-size: 1.3em; }
.gb-class table { border-collapse: collapse; margin: 1rem 0; } .gb-class :is(th, td) { padding: .3em .8em .3em 0; text-align: right;
  border-bottom: 1px solid var(--quiet); } .gb-class .gb-wrong { color: var(--test); }
.gb-class .gb-plot { max-width: 60rem; } .gb-class .gb-plot .fit { fill: var(--train); } .gb-class .gb-plot .rule { fill: var(--test); }
.gb-class .gb-plot .open { fill: var(--ground); stroke-width: 2; } .gb-class .gb-plot .fit.open { stroke: var(--train); }
.gb-class .gb-plot .rule.open { stroke: var(--test); } .gb-class .gb-plot text.fit, .gb-class .gb-plot text.rule { stroke: none; }
.gb-class .gb-plot text.fit { fill: var(--train); font-weight: bold; } .gb-class .gb-plot text.rule { fill: var(--test); font-weight: bold; }
.gb-class .gb-of-group [data-act=decay], .gb-class [hidden] { display: none !important; }`;

  /** A QR code of a text into an element, each module a square of the picture. */
  function paintCode(box, text) {
    const code = window.qrcode(0, "M");
    code.addData(text);
    code.make();
    const n = code.getModuleCount(), path = [];
    for (let y = 0; y < n; y++) for (let x = 0; x < n; x++) if (code.isDark(y, x)) path.push(`M${x} ${y}h1v1h-1z`);
    const picture = node("svg", { viewBox: `0 0 ${n} ${n}`, role: "img", "aria-label": "QR code of the link", "shape-rendering": "crispEdges" });
    node("path", { d: path.join(""), fill: "#000" }, picture);
    box.replaceChildren(picture);
    box.dataset.modules = n;
  }

  const HIGH = 400, LEFT = 62, RIGHT = 20, TOP = 52, FOOT = 52;

  /** The plot of a class: the step, on a logarithmic axis, against what differs; an open triangle is "not by this step". */
  function paintPlot(box, results) {
    const WIDE = box.clientWidth < 520 ? 380 : 640;
    const picture = node("svg", { class: "gb-plot", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" }), { vary } = results[0];
    const shown = results.map((one) => one.value), positive = shown.filter((value) => value > 0), [low, high] = [Math.min(...shown), Math.max(...shown)];
    const ratio = positive.length && Math.min(...positive) * 8 < high, log = ratio && ["weight_decay", "learning_rate"].includes(vary);
    const place = (value) => (log ? Math.log2(value > 0 ? value : Math.min(...positive) / 4) : value), room = Math.max((place(high) - place(low)) / 12, 1e-9);
    const x = (value) => between(place(value), [place(low) - room, place(high) + room], [LEFT, WIDE - RIGHT]);
    const steps = results.flatMap((one) => one.ends.flatMap((end) => [end.fit || end.step, end.rule || end.step])).map((step) => Math.max(step, 1));
    const floor = Math.floor(Math.log10(Math.min(...steps))), top = Math.ceil(Math.log10(Math.max(...steps)) + 1e-9);
    const y = (step) => between(Math.log10(Math.max(step, 1)), [floor, Math.max(top, floor + 1)], [HIGH - FOOT, TOP]);
    node("path", { class: "frame", d: `M${LEFT} ${TOP}V${HIGH - FOOT}H${WIDE - RIGHT}` }, picture);
    for (let power = floor; power <= Math.max(top, floor + 1); power++) {
      node("text", { x: LEFT - 8, y: y(10 ** power) + 4, "text-anchor": "end" }, picture, whole(10 ** power));
      node("path", { class: "grid", d: `M${LEFT} ${y(10 ** power)}H${WIDE - RIGHT}`, opacity: 0.4 }, picture);
    }
    new Set(shown).forEach((value) => node("text", { x: x(value), y: HIGH - FOOT + 18, "text-anchor": "middle" }, picture, value));
    node("text", { x: (LEFT + WIDE) / 2, y: HIGH - 10, "text-anchor": "middle" }, picture, VARIED[vary][0]);
    node("text", { x: LEFT, y: 16 }, picture, "step from which pairs are known; triangle: not by this step");
    node("text", { class: "fit", x: LEFT + 6, y: 36 }, picture, "training pairs");
    node("text", { class: "rule", x: LEFT + 116, y: 36 }, picture, "held-out pairs");
    for (const one of results) for (const end of one.ends) for (const kind of ["fit", "rule"]) {
      const known = end[kind] !== null, [a, b] = [x(one.value), y(known ? end[kind] : end.step)];
      const about = { class: known ? kind : `${kind} open`, "data-group": one.group, "data-step": known ? end[kind] : `>${end.step}` };
      if (known) node("circle", { ...about, cx: a, cy: b, r: 7 }, picture);
      else node("path", { ...about, d: `M${a - 8} ${b + 6}L${a} ${b - 8}L${a + 8} ${b + 6}z` }, picture);
    }
    picture.setAttribute("aria-label", results.map(sentence).join(" "));
    box.replaceChildren(picture);
  }

  /** The same numbers as a table, each group a link that repeats its run. */
  function paintTable(box, results) {
    const table = node("table", {}), row = (parent) => node("tr", {}, parent), head = row(node("thead", {}, table)), body = node("tbody", {}, table);
    const heads = ["Group", VARIED[results[0].vary][0], "training pairs known from", "held-out pairs known from"];
    heads.forEach((text) => node("th", { scope: "col" }, head, text));
    for (const one of results) {
      const cells = row(body), told = (kind) => one.ends.map((end) => (end[kind] === null ? `not by ${whole(end.step)}` : whole(end[kind]))).join(", ");
      node("a", { href: one.hash }, node("td", {}, cells), one.group);
      [one.value, told("fit"), told("rule")].forEach((text) => node("td", {}, cells, text));
    }
    box.replaceChildren(table);
  }

  // ------------------------------------------------------------------ what is seen

  /** A button that copies a text; where that is refused, the text is selected to be copied by hand. */
  function copyButton(parent, words, text) {
    const button = node("button", { type: "button" }, parent, words), told = node("span", { role: "status" }, parent);
    button.addEventListener("click", async () => {
      const copied = navigator.clipboard ? navigator.clipboard.writeText(text()) : Promise.reject();
      told.textContent = await copied.then(() => "Copied.", () => `Copy it by hand: ${text()}`);
    });
    return button;
  }

  const here = () => location.href.split(/[?#]/)[0];
  const remembered = { get: (name) => { try { return localStorage.getItem(name); } catch { return null; } },
                       set: (name, text) => { try { localStorage.setItem(name, text); } catch { /* the page works without */ } } };

  /** The page that trains, large. */
  function train(root, settings, begin = false) {
    const options = JSON.stringify({ ...settings, large: true, begin });
    const box = node("div", { id: "gb-class-train", class: "gb-train", "data-options": options }, root);
    trainer.mount(box);
    return box;
  }

  /** For the lecturer: the run before the class, the link to join, the plot of what comes back. */
  function lecture(root, settings) {
    node("h1", {}, root, "Train before the class");
    train(root, settings);
    node("h2", {}, root, "Each group trains its own");
    node("p", {}, root, "Choose what differs between the groups. Whoever opens the link chooses a group and trains with its value.");
    const ask = node("div", { class: "gb-ask" }, root), field = (id, words, tag, about) => node(tag, { id, ...about }, node("label", { for: id }, ask, words));
    const vary = field("gb-vary", "What differs", "select", {}), groups = field("gb-groups", "Groups", "input", { type: "number", min: 2, max: MOST, value: 6 });
    const given = field("gb-values", "Their values", "input", { autocomplete: "off", spellcheck: "false" });
    Object.entries(VARIED).forEach(([value, [words]]) => node("option", { value }, vary, words));
    const wrong = node("p", { class: "gb-wrong", role: "status" }, root), join = node("div", { class: "gb-join" }, root);
    const code = node("div", { class: "gb-qr" }, join), beside = node("div", {}, join), link = node("a", { id: "gb-join-link" }, node("p", {}, beside));
    copyButton(node("p", { class: "gb-row" }, beside), "Copy the link", () => link.href);
    const alone = /^(localhost|127\.|\[::1\]|$)/.test(location.hostname);
    if (alone) node("p", {}, beside, "This page is on this machine alone. For others to follow the link, put the folder of the site where they can open it.");
    function renew() {
      const list = values(given.value, vary.value, settings);
      wrong.textContent = list ? "" : `Values are 1 to ${MOST} numbers, such as 0.3, 0.4, 0.5; "${given.value}" is not.`;
      join.hidden = !list;
      if (!list) return;
      link.href = link.textContent = here() + joinAddress(settings, vary.value, list);
      paintCode(code, link.href);
    }
    function propose() {
      const n = Math.min(MOST, Math.max(2, Math.round(Number(groups.value)) || 2));
      given.value = VARIED[vary.value][1](n, settings).join(", ");
      renew();
    }
    [vary, groups].forEach((one) => one.addEventListener("change", propose));
    given.addEventListener("input", renew);
    propose();
    collect(root);
  }

  /** The worksheet: links in, plot and table out. */
  function collect(root) {
    node("h2", { id: "gb-collect" }, root, "What the class found");
    const label = node("label", { for: "gb-links" }, root, "Paste the links of the groups here, in any order, with any words between them.");
    const text = node("textarea", { id: "gb-links", spellcheck: "false" }, label), said = node("p", { role: "status", class: "gb-count" }, root);
    const wrong = node("ul", { class: "gb-wrong" }, root), plot = node("div", {}, root), table = node("div", {}, root);
    const row = node("p", { class: "gb-row" }, root);
    const lines = () => collected(text.value).results.flatMap((one) => one.ends.map((end) =>
      [one.group, one.value, end.fit ?? "", end.rule ?? "", end.step].join(",")));
    copyButton(row, "Copy the numbers", () => ["group,value,fit,rule,last", ...lines()].join("\n"));
    const clear = node("button", { type: "button" }, row, "Clear");
    function renew() {
      const found = collected(text.value), n = found.results.length;
      said.textContent = n ? `${n} ${n === 1 ? "group has" : "groups have"} sent a result.` : text.value.trim() ? "There is no link of a result in this text." : "";
      wrong.replaceChildren(...found.wrong.map((words) => node("li", {}, null, words)));
      plot.replaceChildren();
      table.replaceChildren();
      row.hidden = !n;
      if (n) paintPlot(plot, found.results);
      if (n) paintTable(table, found.results);
      remembered.set("gb-class-links", text.value);
    }
    text.addEventListener("input", renew);
    clear.addEventListener("click", () => { text.value = ""; renew(); });
    text.value = remembered.get("gb-class-links") || "";
    renew();
  }

  /** For those who join: which group? */
  function join(root, { fields, settings }) {
    const list = has(VARIED, fields.vary) ? values(fields.values || "", fields.vary, settings) : null;
    node("h1", {}, root, list ? "Which group are you?" : "This link to a class is not complete");
    if (!list) {
      node("p", {}, root, `It should say what differs (${Object.keys(VARIED).join(", ")}) and 1 to ${MOST} values. Ask for it again.`);
      return;
    }
    const box = node("div", { class: "gb-which" }, root);
    list.forEach((value, k) => {
      const link = node("a", { href: written("group", { ...settings, [fields.vary]: value }, { vary: fields.vary, group: k + 1, [fields.vary]: value }) }, box);
      node("b", {}, link, `Group ${k + 1}`);
      node("span", {}, link, `${VARIED[fields.vary][0]} ${value}`);
    });
  }

  /** One group's run, and the link of its result once all its seeds are done; a result that was sent, to be repeated. */
  function group(root, { view, fields, settings }) {
    const known = has(VARIED, fields.vary) && /^\d{1,4}$/.test(fields.group || "");
    if (!known) return join(root, { fields: {}, settings });
    node("h1", {}, root, `Group ${fields.group}: ${VARIED[fields.vary][0]} ${settings[fields.vary]}`);
    const sent = view === "result" ? resultOf(location.hash) : null;
    if (sent) node("p", { class: "gb-sent" }, root, typeof sent === "string" ? `This link of a result cannot be read: ${sent}.` : `Sent: ${sentence(sent)}`);
    node("p", {}, root, "Before you press Train, write down: at which step will it know the held-out pairs?");
    const box = train(root, settings);
    box.classList.add("gb-of-group");
    const found = node("p", { class: "gb-found", role: "status" }, root), row = node("p", { class: "gb-row" }, root);
    const link = node("a", { id: "gb-result-link" }, row, "Link of this result");
    copyButton(row, "Copy the link for the lecturer", () => link.href);
    row.hidden = true;
    box.addEventListener("gb-drawn", ({ detail: { ends, settings: now } }) => {
      const done = ends.every((end) => end.over || (end.fit !== null && end.rule !== null));
      row.hidden = !done;
      if (!done) return (found.textContent = "The link of the result comes when the run has ended, or knows the held-out pairs.");
      link.href = here() + resultAddress(now, fields.vary, fields.group, ends);
      found.textContent = sentence({ vary: fields.vary, group: fields.group, value: now[fields.vary], ends });
      return null;
    });
  }

  function mount(root) {
    const asked = read(location.hash);
    style("gb-class", STYLE);
    if (asked.view === "join") join(root, asked);
    else if (asked.view === "group" || asked.view === "result") group(root, asked);
    else lecture(root, asked.settings);
    window.addEventListener("hashchange", () => location.reload());
  }

  return { VARIED, written, read, values, joinAddress, resultAddress, resultOf, collected, sentence, mount };
})();
