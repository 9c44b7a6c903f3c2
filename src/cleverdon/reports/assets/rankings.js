// One query's rankings.

let rankings;

function open(t) {
  state.query = t;
  rankings ??= read("ranking-data");
  showQuery();
  showQueries();
  redraw();
  remember();
  find("query").scrollIntoView({ block: "nearest" });
  find("query").focus({ preventScroll: true });
}

function close() {
  const t = state.query;
  state.query = null;
  showQuery();
  showQueries();
  remember();
  // Back to where a reader came from; the query may be on no page of the list.
  (document.querySelector(`[data-query="${t}"]`) ?? find("find")).focus({ preventScroll: true });
}

function showQuery() {
  const panel = find("query-body");
  find("query").hidden = state.query === null;
  if (state.query === null) return;
  const t = state.query;
  const of = rankings?.queries[t];
  const { id, text } = queries[t];
  const done = make("button", { type: "button", class: "close", onclick: close }, "Close");
  const title = make("h3", {}, done, `Query ${id}`, text ? `: ${text}` : "");
  if (!of) {
    const list = systems.map((system, s) =>
      make("li", {}, `${system}: ${shown(values[state.measure][s][t])}`));
    fill(panel, title, make("ul", {}, ...list),
      make("p", { class: "soft" }, "The rankings were not kept."));
    return;
  }
  const fractions = of.relevant.some(([, grade]) => grade < 1);
  const about = `${of.judged} judged, ${of.of} of them relevant`
    + (fractions ? " (with a grade of 1 or above)." : ".");
  fill(panel, title, make("p", {}, about), legend(of),
    make("div", { class: "rankings" }, ...systems.map((_, s) => ranking(of, s, t))));
}

const topGrade = (of) => Math.max(1, ...of.relevant.map(([, grade]) => grade));

function badge(grade, top) {
  if (grade === null || grade < 0) return make("span", { class: "grade none" }, "–");
  if (grade === 0) return make("span", { class: "grade zero" }, "0");
  const share = Math.min(1, 0.35 + (0.65 * grade) / top);
  const ink = share > 0.95 ? "#fff" : "#000"; // whichever can be read better
  const blue = `rgb(${[0, 114, 178].map((c) => Math.round(255 - share * (255 - c))).join(",")})`;
  const made = make("span", { class: "grade" }, `${grade}`);
  made.style.background = blue; // as a property, which the policy allows
  made.style.color = ink;
  return made;
}

function legend(of) {
  const grades = [...new Set(of.relevant.map(([, grade]) => grade))].sort((a, b) => b - a);
  const entries = [...grades.map((grade) => [grade, grade < 1 ? "below relevant" : "relevant"]),
    [0, "judged, not relevant"], [null, "not judged"]];
  return make("div", { class: "legend" }, ...entries.map(([grade, words]) =>
    make("span", {}, badge(grade, topGrade(of)), ` ${words}`)));
}

function ranking(of, s, t) {
  const { rows, returned, more, found, missing } = of.systems[s];
  const items = [];
  let last = 0;
  const gap = (from, to) => {
    if (to >= from) items.push(make("li", { class: "gap" }, `⋯ ${to - from + 1} not judged`));
  };
  for (const [rank, doc, grade] of rows) {
    gap(last + 1, rank - 1);
    items.push(result(rank, doc, grade, of));
    last = rank;
  }
  if (more) items.push(make("li", { class: "gap" }, `⋯ ${more} more judged results below`));
  else gap(last + 1, returned);
  if (!returned) items.push(make("li", { class: "gap" }, "nothing returned"));
  const had = new Set(rows.map(([, doc]) => doc));
  const lacking = more || !missing ? [] : of.relevant.filter(([doc]) => !had.has(doc));
  const value = shown(values[state.measure][s][t]);
  return make("div", { class: "ranking" },
    make("h4", {}, systems[s]),
    make("p", { class: "soft" }, `${measure().name} ${value}; ${found.length} of ${of.of} relevant found`),
    make("ol", {}, ...items),
    lacking.length ? make("details", {},
      make("summary", {}, `${missing} graded above 0 not returned`),
      make("ol", {}, ...lacking.map(([doc, grade]) => result(null, doc, grade, of)))) : null);
}

function result(rank, doc, grade, of) {
  const id = rankings.documents[doc];
  const [title, text] = rankings.texts?.[doc] ?? ["", ""];
  const body = title || text
    ? make("details", { class: "doc" }, make("summary", {}, id, id.endsWith(title) ? "" : `: ${title}`),
        make("p", {}, text))
    : make("span", { class: "doc" }, id);
  const mark = (on) => () => document.querySelectorAll(`.ranking li[data-doc="${doc}"]`)
    .forEach((item) => item.classList.toggle("same", on));
  return make("li", { "data-doc": doc, onmouseenter: mark(true), onmouseleave: mark(false) },
    make("span", { class: "rank" }, rank === null ? "" : `${rank}`),
    badge(grade, topGrade(of)), body);
}
