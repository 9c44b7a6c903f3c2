// What plots show: the rows that belong to what was picked, and its names.

function keyOf(figure) {
  if (figure.varies === "never") return "";
  if (figure.varies === "measure") return `${state.measure}`;
  if (figure.varies === "system") return `${state.system}`;
  if (figure.varies === "query") return `${state.query} ${state.system}`;
  const pair = `${state.measure} ${baseline()}`;
  if (figure.varies === "pair") return pair;
  return [pair, state.system, state.outcome, state.find].join(" ");
}

function datasetsOf(figure) {
  if (figure.id in DERIVED) return DERIVED[figure.id]();
  const found = figure.data.rows[keyOf(figure)];
  if (!found && figure.varies === "pair" && baseline() < 0) return "Pick a baseline to see this.";
  if (!found) return `There is none of ${measure().name}.`;
  return unpacked(found);
}

// A specification has room for short names only.
function named(text, written) {
  const of = written ? shortNames : systems;
  return withNames(text, {
    measure: measure().name,
    other: measures[state.measure ? 0 : Math.min(1, measures.length - 1)].name,
    baseline: baseline() < 0 ? "the median of all systems" : of[baseline()],
    system: of[state.system],
  }, written);
}

// A bar of a query, or of several that share one.
function clicked(item) {
  const name = item?.datum?.query;
  if (name === undefined) return;
  const first = `${name}`.replace(/ \+\d+$/, "");
  const at = queries.findIndex(({ id }) => id === name || id === first);
  if (at >= 0) open(at);
}
