// The data, what is picked, and how elements are made: all that comes from the input gets into the
// document as text, by `make` and `fill`.

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const find = (id) => document.getElementById(id);
const content = read("content");
const { systems, measures, topics, values, comparisons } = content;
const compared = new Set(content.compared);
const CLAIMS = 12; // that are seen at once; pairs of many systems have more
const MORE = 25; // topics that are listed at a time
const DARK = matchMedia("(prefers-color-scheme: dark)");

const state = {
  measure: 0, // indices, so that no name need be looked up
  comparison: 0,
  system: null, // the best, unless the address says otherwise
  find: "",
  outcome: "all",
  sort: "topic",
  falling: false,
  listed: MORE,
  topic: null,
  dark: DARK.matches,
};


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

const measure = () => measures[state.measure];
const comparison = () => comparisons[state.comparison];
const baseline = () => {
  const name = comparison()?.baseline ?? null;
  return name === null ? -1 : systems.indexOf(name);
};
const shown = (value, digits = measure().digits, sign = false) =>
  value === null || value === undefined
    ? "-"
    : (sign && value > 0 ? "+" : "") + value.toFixed(digits);
