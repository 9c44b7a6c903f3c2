// What is picked, and what follows from it.

const { systems, measures, queries, values, comparisons } = content;
const shortNames = content.short_names; // of the systems, for places where long ones have no room
const compared = new Set(content.compared);
const CLAIMS = 12; // that are seen at once; pairs of many systems have more
const MORE = 25; // queries that are listed at a time

const state = {
  measure: 0, // indices, so that no name need be looked up
  comparison: 0,
  system: null, // the best, unless the address says otherwise
  find: "",
  outcome: "all",
  sort: "query",
  falling: false,
  listed: MORE,
  query: null,
};

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
