// The data, and how elements are made: all that comes from the input gets into the document as
// text, by `make` and `fill`.

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const find = (id) => document.getElementById(id);
const content = read("content");

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

// A text whose lines end between words only: browsers would break `2024-11-17` or `bm25-rm3` as
// well. Scripts that have no spaces between words are left to the browser.
const words = (text) => `${text}`.split(/(\s+)/).map((part) =>
  (/^[!-\u2E7F]*[^\p{L}\p{N}\s][!-\u2E7F]*$/u.test(part) ? make("span", { class: "word" }, part) : part));

// A table of facts, by name.
function facts(record) {
  const rows = Object.entries(record).map(([name, text]) => make("tr", {},
    make("th", { scope: "row" }, ...words(name)), make("td", {}, ...words(text))));
  return make("div", { class: "scroll" }, make("table", {}, make("tbody", {}, ...rows)));
}

// What a class says of itself, to be unfolded: in words, as a formula, and as facts.
function definition(one, kept, open) {
  const formula = make("div", { class: "formula" });
  if (one.mathml) formula.innerHTML = one.mathml; // made from the class's own formula
  else formula.append(make("code", {}, one.formula ?? ""));
  return make("details", { open },
    make("summary", {}, one.name), make("p", {}, one.about), formula,
    facts(Object.fromEntries(Object.entries(kept).filter(([, text]) => text))));
}

// A table of texts: labels on the left, numbers on the right.
function tableOf({ header, rows, labels }, titles = {}) {
  const side = (at) => (at < labels ? "" : "number");
  const head = header.map((name, at) =>
    make("th", { class: side(at), scope: "col", title: titles[at] }, name));
  const body = rows.map((row) => make("tr", {},
    ...row.map((text, at) => make("td", { class: side(at) }, ...words(text)))));
  return make("div", { class: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)));
}

const claimItem = ({ text, verdict }) => make("li", { class: verdict.replace(" ", "-") }, text);

const severity = (name) => make("span", { class: `severity-${name}` }, `${name}: `);

// Doubts below their heading; nothing where there are none.
function doubtsOf(doubts) {
  const items = doubts.map(({ name, sentence, reference }) => make("li", {},
    make("span", { class: "name" }, name), `: ${sentence}. `,
    make("span", { class: "soft" }, reference)));
  return items.length ? [make("h3", {}, "Before you believe it"), make("ul", {}, ...items)] : [];
}

// How the numbers were made: choices, versions, and what each number means.
const methodOf = (choices, versions, title, definitions) => [
  make("h3", {}, "Choices"), facts(choices), make("h3", {}, "Versions"), facts(versions),
  make("h3", {}, title), ...definitions];

// Names are put where texts have marks for them: `written` as a specification needs them.
const withNames = (text, names, written = (name) => name) => text.replace(/⟦(\w+)⟧/g,
  (mark, which) => (which in names ? written(names[which]) : mark));
