// The list of queries: which are picked, and in which order they stand.

const sign = () => (measure().better === "lower" ? -1 : 1);

const gain = (s, t) => (compared.has(t) ? sign() * difference(s, t) : null);

function picked() {
  const words = state.find.toLowerCase();
  const [, way, system] = state.outcome.match(/^(up|down) (\d+)$/) ?? [];
  return queries.map((_, t) => t).filter((t) => {
    const { id, text = "" } = queries[t];
    if (words && !`${id} ${text}`.toLowerCase().includes(words)) return false;
    if (!way) return true;
    return way === "up" ? gain(+system, t) > 0 : gain(+system, t) < 0;
  });
}

function listOutcomes() {
  const against = baseline() < 0 ? "the median" : systems[baseline()];
  const choices = [make("option", { value: "all" }, "all queries")];
  systems.forEach((system, s) => {
    if (s === baseline()) return;
    choices.push(make("option", { value: `up ${s}` }, `${system} better than ${against}`));
    choices.push(make("option", { value: `down ${s}` }, `${system} worse than ${against}`));
  });
  fill(find("outcome"), ...choices);
  find("outcome").value = state.outcome;
  if (find("outcome").selectedIndex < 0) find("outcome").value = state.outcome = "all";
}

function ordered(chosen) {
  if (state.sort === "query") return state.falling ? chosen.reverse() : chosen;
  const of = values[state.measure][+state.sort];
  const direction = state.falling ? -1 : 1;
  return chosen.sort((a, b) => {
    if (of[a] === null || of[b] === null) return (of[a] === null) - (of[b] === null);
    return direction * (of[a] - of[b]) || a - b;
  });
}

function sortBy(key) {
  state.falling = state.sort === key ? !state.falling : key !== "query";
  state.sort = key;
  showQueries();
  find("query-table").querySelector(`[data-key="${key}"]`).focus(); // it was made anew
}

function heading(key, text, title) {
  const sorted = state.sort === key ? (state.falling ? "descending" : "ascending") : undefined;
  const button = make("button",
    { type: "button", "data-key": key, title, onclick: () => sortBy(key) }, text);
  return make("th", { class: key === "query" ? "" : "number", "aria-sort": sorted }, button);
}

function cell(s, t) {
  const gained = gain(s, t);
  const way = gained > 0 ? "up" : gained < 0 ? "down" : "";
  return make("td", { class: `number ${way}` }, shown(values[state.measure][s][t]));
}

function showQueries() {
  const chosen = ordered(picked());
  const texts = queries.some((query) => query.text);
  const head = make("tr", {}, heading("query", "query"),
    texts ? make("th", {}, "query") : null,
    ...systems.map((system, s) => heading(`${s}`, shortNames[s], system)));
  const rows = chosen.slice(0, state.listed).map((t) =>
    make("tr", { class: t === state.query ? "open" : "" },
      make("td", {}, make("button",
        { type: "button", "data-query": t, onclick: () => open(t) }, queries[t].id)),
      texts ? make("td", { class: "text", title: queries[t].text ?? "" }, queries[t].text ?? "") : null,
      ...systems.map((_, s) => cell(s, t))));
  const left = chosen.length - state.listed;
  const part = left > 0 ? `, ${state.listed} of ${chosen.length} queries` : "";
  fill(find("query-table"), make("caption", {}, `${measure().name}${part}`),
    make("thead", {}, head), make("tbody", {}, ...rows));
  find("more").hidden = left <= 0;
  fill(find("more"), `Show ${Math.min(left, MORE)} more of ${chosen.length} queries`);
  fill(find("picked"), chosen.length === queries.length ? "" : summary(chosen));
}

// Averages of queries that were picked for how they look are no evidence, and are said not to be.
function summary(chosen) {
  const count = `${chosen.length} of ${queries.length} queries`;
  const known = chosen.filter((t) => compared.has(t));
  if (!known.length) return count;
  const means = systems.map((system, s) =>
    `${system} ${shown(mean(known.map((t) => settled(s, t))), Math.max(4, measure().digits))}`);
  return `${count}; means: ${means.join(", ")} (picked, so untested)`;
}
