// Tables that can be sorted and filtered in the page. Without scripts they stay the plain tables that they are.
// GrokbookTables.mount(element): `element` holds one table of page.table(..., sortable=True).
"use strict";

window.GrokbookTables = window.GrokbookTables || (function () {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  function make(name, attributes, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  const text = (row, column) => row.cells[column].textContent.trim();

  function compare(column, sign) {
    return (a, b) => {
      const [x, y] = [a, b].map((row) => row.cells[column].dataset.sort ?? text(row, column));
      if (x === "" || y === "") return (x === "") - (y === "");
      return sign * (isNaN(x) || isNaN(y) ? collator.compare(x, y) : x - y);
    };
  }

  function sort(table, heads, column) {
    const rising = heads[column].getAttribute("aria-sort") !== "ascending";
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", rising ? "ascending" : "descending");
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort(compare(column, rising ? 1 : -1)));
  }

  function selects(element, heads, rows, update) {
    const wanted = JSON.parse(element.dataset.filters || "[]");
    return wanted.map((name) => {
      const column = heads.findIndex((head) => head.textContent.trim() === name);
      const values = [...new Set(rows.map((row) => text(row, column)))].sort(collator.compare);
      const choice = make("select", {}, make("option", { value: "" }, "all"));
      values.forEach((value) => choice.append(make("option", { value }, value)));
      choice.addEventListener("change", update);
      const passes = (row) => !choice.value || text(row, column) === choice.value;
      return { label: make("label", {}, name + " ", choice), passes };
    });
  }

  function search(update) {
    const field = make("input", { type: "search", autocomplete: "off" });
    field.addEventListener("input", update);
    const words = () => field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const passes = (row) => words().every((word) => row.textContent.toLowerCase().includes(word));
    return { label: make("label", {}, "words ", field), passes };
  }

  function mount(element) {
    const table = element.querySelector("table");
    if (!table || element.dataset.mounted) return;
    element.dataset.mounted = "yes";
    const heads = [...table.tHead.rows[0].cells], rows = [...table.tBodies[0].rows];
    const count = make("output", { class: "gb-count", "aria-live": "polite" });
    const filters = [];
    const update = () => {
      rows.forEach((row) => { row.hidden = !filters.every((filter) => filter.passes(row)); });
      count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} shown`;
    };
    filters.push(...selects(element, heads, rows, update), search(update));
    element.prepend(make("div", { class: "gb-filters", role: "group", "aria-label": "Filter the table" },
      ...filters.map((filter) => filter.label), count));
    heads.forEach((head, column) => {
      const button = make("button", { type: "button", title: "Sort by this column" }, ...head.childNodes);
      button.addEventListener("click", () => sort(table, heads, column));
      head.replaceChildren(button);
    });
    update();
  }

  return { mount };
})();
