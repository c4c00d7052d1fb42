// The ledger of claims: lists and a field that choose lines, kept in the address; #G27 leads to that claim.
// Without scripts every line is shown. GrokbookLedger.mount(element) for one `.gb-ledger`.
"use strict";

window.GrokbookLedger = window.GrokbookLedger || (function () {
  function make(name, attributes, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  // What the address asks for: a claim (#G27), a choice (#verdict=fails&words=ball), or neither.
  function asked() {
    const text = location.hash.slice(1);
    if (text.includes("=")) return { choice: new URLSearchParams(text) };
    try {
      return { claim: decodeURIComponent(text) };
    } catch (error) { // badly written, as in #100%
      return { claim: text };
    }
  }

  function fields(element, update) {
    const made = JSON.parse(element.dataset.filters).map(({ name, label, values }) => {
      const field = make("select", { name }, make("option", { value: "" }, "all"),
        ...values.map(([value, words]) => make("option", { value }, words)));
      field.passes = (card) => !field.value || card.dataset[name] === field.value;
      return [label, field];
    });
    const words = make("input", { type: "search", name: "words", autocomplete: "off" });
    const wanted = () => words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (card) => `${card.textContent.toLowerCase()} ${card.dataset.words || ""}`;
    words.passes = (card) => wanted().every((word) => text(card).includes(word));
    made.push(["Words", words]);
    made.forEach(([, field]) => field.addEventListener("input", update));
    return made;
  }

  function mount(element) {
    if (!element || element.dataset.mounted) return;
    element.dataset.mounted = "yes";
    const cards = [...element.querySelectorAll(".gb-claim")];
    const count = make("output", { class: "gb-count", "aria-live": "polite" });
    const show = () => {
      cards.forEach((card) => { card.hidden = !made.every(([, field]) => field.passes(card)); });
      count.textContent = `${cards.filter((card) => !card.hidden).length} of ${cards.length} claims shown`;
    };
    const keep = () => {
      show();
      const chosen = made.filter(([, field]) => field.value).map(([, field]) => [field.name, field.value]);
      history.replaceState(null, "", `#${new URLSearchParams(chosen)}`);
    };
    const made = fields(element, keep);
    const choose = (choice) => {
      made.forEach(([, field]) => { field.value = choice.get(field.name) || ""; });
      show();
    };
    const all = make("button", { type: "button" }, "Show all");
    all.addEventListener("click", () => { choose(new URLSearchParams()); keep(); });
    const follow = () => {
      const { choice, claim } = asked();
      if (choice) {
        choose(choice);
        element.scrollIntoView();
        return;
      }
      // a former id stands as an anchor inside the card of the entry that it leads to
      const anchor = claim ? document.getElementById(claim) : null;
      const card = anchor ? anchor.closest(".gb-claim") : null;
      if (card && element.contains(card)) {
        if (card.hidden) choose(new URLSearchParams());
        card.scrollIntoView();
      }
    };
    element.prepend(make("div", { class: "gb-filters", role: "group", "aria-label": "Choose claims" },
      ...made.map(([label, field]) => make("label", {}, `${label} `, field)), all, count));
    show();
    follow();
    addEventListener("load", follow);
    addEventListener("hashchange", follow);
  }

  return { mount };
})();
