// The queries on which the system that is picked loses most against the baseline, and why.

function showWorst() {
  const known = content.worst.length > 0;
  find("worst").hidden = find("worst-link").hidden = !known;
  if (!known) return;
  const [old, now] = [systems[baseline()], systems[state.system]];
  const listed = content.worst.find((one) => one.measure === measure().name
    && one.systems[0] === old && one.systems[1] === now);
  find("worst-table").hidden = !listed?.queries.length;
  fill(find("worst-summary"), worstSummary(old, now, listed));
  fill(find("worst-table"));
  if (!listed?.queries.length) return;
  const texts = listed.queries.some((one) => one.text);
  const heads = ["query", ...(texts ? ["text"] : []), old, now, "difference",
    `unjudged in ${old}`, `unjudged in ${now}`, "unjudged explain it", "what moved"];
  const words = new Set(["query", "text", "what moved"]);
  fill(find("worst-table"),
    make("thead", {}, make("tr", {}, ...heads.map((name) =>
      make("th", { class: words.has(name) ? "" : "number" }, name)))),
    make("tbody", {}, ...listed.queries.map((one) => worstRow(one, texts))));
}

function worstSummary(old, now, listed) {
  if (old === undefined) return "Pick a baseline to see this.";
  if (old === now) return "Pick a system other than the baseline to see this.";
  if (!listed) return `This report lists none for ${now} against ${old}: name ${old} as its --baseline.`;
  const { compared: all, worse, better, depth, queries: shownQueries, notes } = listed;
  const [lost, won] = measure().better === "neither" ? ["lower", "higher"] : ["worse", "better"];
  const said = `By ${listed.measure}, ${now} is ${lost} than ${old} on ${worse} of ${all} queries, `
    + `${won} on ${better}.`;
  if (!shownQueries.length) return said;
  const why = `Below are the largest losses. Unjudged results (counted in the first ${depth}) explain `
    + `one if judging them could bring ${now} to the value of ${old}.`;
  return [said, why, ...notes].join(" ");
}

function worstRow(one, texts) {
  const t = queries.findIndex(({ id }) => id === one.query);
  const number = (text) => make("td", { class: "number" }, text);
  const explained = { true: "yes", false: "no" }[one.explained] ?? "-";
  return make("tr", {},
    make("td", {}, make("button", { type: "button", onclick: () => open(t) }, one.query)),
    texts ? make("td", { class: "text", title: one.text }, one.text) : null,
    number(shown(one.old)), number(shown(one.new)), number(shown(one.difference, undefined, true)),
    number(`${one.unjudged[0]}`), number(`${one.unjudged[1]}`), number(explained),
    make("td", {}, make("ul", {}, ...one.moved.map(movedItem))));
}

function movedItem({ document: doc, title, grade, ranks, difference: change }) {
  const size = shown(change, Math.max(4, measure().digits), true);
  if (doc === null) return make("li", {}, `before any hit: ${size}`);
  const [before, after] = ranks.map((rank) => (rank === null ? "not returned" : `rank ${rank}`));
  const judged = grade === null ? "not judged" : `grade ${grade}`;
  return make("li", { title: title ?? "" }, `${doc} (${judged}): ${before} → ${after}, ${size}`);
}
