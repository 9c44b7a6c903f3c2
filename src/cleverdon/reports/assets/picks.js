// What can be picked, and what happens then; the script starts here.

function showAll() {
  listOutcomes();
  showClaims();
  showTable();
  showCosts();
  showWorst();
  showQueries();
  showQuery();
  showMethod();
  redraw();
}

// What was picked stands in the address, so that it can be sent.
function remember() {
  const picks = new URLSearchParams({ measure: measure().name });
  if (comparison()) picks.set("baseline", comparison().baseline ?? "");
  if (systems.length > 1) picks.set("system", systems[state.system]);
  if (state.query !== null) picks.set("query", queries[state.query].id);
  try {
    history.replaceState(null, "", `#?${picks}`);
  } catch {
    // A page within a frame has no address of its own.
  }
}

function recall() {
  const picks = new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(2) : "");
  const at = measures.findIndex((one) => one.name === picks.get("measure"));
  if (at >= 0) state.measure = at;
  const with_ = comparisons.findIndex((one) => (one.baseline ?? "") === picks.get("baseline"));
  if (with_ >= 0) state.comparison = with_;
  const system = systems.indexOf(picks.get("system"));
  if (system >= 0) state.system = system;
  else if (state.system === null) state.system = bestSystem();
  const id = picks.get("query") ?? picks.get("topic"); // as old links have it
  const query = queries.findIndex((one) => one.id === id);
  if (query >= 0) {
    state.query = query;
    rankings ??= read("ranking-data");
  }
}

// The best by the measure, of those that are not the baseline where there are others.
function bestSystem() {
  const means = content.means[state.measure];
  const others = systems.map((_, s) => s).filter((s) => s !== baseline() || systems.length === 1);
  return others.sort((a, b) => sign() * ((means[b] ?? -Infinity) - (means[a] ?? -Infinity)))[0];
}

const PICKS = { measure: find("measure"), comparison: find("baseline"), system: find("system") };

function picks(key, names) {
  fill(PICKS[key], ...names.map((name, at) => make("option", { value: at }, name)));
  PICKS[key].value = state[key];
  PICKS[key].addEventListener("change", (event) => {
    state[key] = +event.target.value;
    state.listed = MORE;
    remember();
    showAll();
  });
}

function start() {
  recall();
  fill(find("basis"), content.notes.join(". "));
  picks("measure", measures.map((one) => one.name));
  picks("comparison", comparisons.map((one) => one.baseline ?? "none: every pair"));
  picks("system", systems);
  find("baseline").parentElement.hidden = comparisons.length < 2;
  find("system").parentElement.hidden = systems.length < 2;
  find("find").addEventListener("input", (event) => {
    state.find = event.target.value.trim();
    showQueries();
    redraw();
  });
  find("outcome").addEventListener("change", (event) => {
    state.outcome = event.target.value;
    showQueries();
    redraw();
  });
  find("more").addEventListener("click", () => {
    state.listed += MORE;
    showQueries();
  });
  showDoubts();
  showFiles();
  dressed();
  showAll();
  // An address that was sent, opened where the report is open already.
  addEventListener("hashchange", () => {
    if (!location.hash.startsWith("#?")) return;
    recall();
    ["measure", "comparison", "system"].forEach((key) => { PICKS[key].value = state[key]; });
    showAll();
  });
  begin();
}

start();
