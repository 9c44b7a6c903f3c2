// The content of each section.

function listed(list) {
  const { table, notes, columns } = list;
  return make("div", { id: `list-${list.name}` },
    make("h3", {}, list.name), make("p", { class: "soft" }, list.about),
    table.rows.length ? tableOf(
      { ...table, header: [Object.values(columns)[0], ...table.header.slice(1)] },
      Object.values(columns)) : null,
    ...notes.map((note) => make("p", { class: "soft" }, note)));
}

function card(one) {
  const { percentiles, better } = one;
  const spread = Object.entries(percentiles).map(([label, value]) => `${label} ${value}`);
  const sure = one.interval
    ? `${(100 * content.confidence).toFixed(0)}% interval ${one.interval}, `
      + `${one.users.toLocaleString("en")} users` : "Too few users for an interval";
  return make("div", { class: "card", title: one.about },
    make("h3", {}, one.metric), make("p", { class: "value" }, one.value),
    make("p", {}, one.of), make("p", { class: "soft" }, sure),
    spread.length ? make("p", { class: "soft" }, spread.join(", ")) : null,
    better === "lower" ? make("p", { class: "soft" }, "Lower is better") : null,
    ...one.notes.map((note) => make("p", { class: "soft" }, note)));
}

function showNumbers() {
  fill(find("headline"), content.headline);
  fill(find("key"), ...content.numbers.map(card));
  fill(find("values"), tableOf(content.values),
    ...content.values_notes.map((note) => make("p", { class: "soft" }, note)));
  const lacking = content.missing.map(({ metric, columns }) =>
    make("li", {}, `${metric}: the log does not have ${columns.join(", ")}`));
  if (lacking.length) {
    fill(find("missing"), make("h3", {}, "What the log cannot say"), make("ul", {}, ...lacking));
  }
}

function finding(one) {
  const spoils = one.spoils.length && one.severity !== "note"
    ? `Spoils ${one.spoils.join(", ")}.` : "";
  return make("li", { class: one.severity },
    severity(one.severity),
    one.count ? `${one.what}: ${one.count}` : one.what,
    ...[...one.details, spoils, one.remedy ? `What to do: ${one.remedy}.` : ""]
      .filter(Boolean).map((text) => make("p", { class: "soft" }, text)));
}

function showDoctor() {
  const { doctor } = content;
  find("doctor").hidden = !doctor;
  if (!doctor) return;
  const unseen = doctor.skipped.map(({ name, columns }) => `${name}: needs ${columns.join(", ")}`);
  fill(find("findings"),
    doctor.findings.length ? make("ul", {}, ...doctor.findings.map(finding))
      : make("p", {}, "No problem was found."),
    unseen.length ? make("details", {}, make("summary", {}, "Checks that were skipped"),
      make("ul", {}, ...unseen.map((text) => make("li", {}, text)))) : null);
}

function showLists() {
  for (const section of ["time", "queries", "latency"]) {
    const own = content.lists.filter((list) => list.section === section);
    fill(find(`${section}-lists`), ...own.map(listed));
  }
}

function showTest() {
  const { abtest, no_abtest: why } = content;
  find("abtest").hidden = !abtest && !why;
  if (!abtest) return fill(find("tested"), make("p", {}, why ? `There is none: ${why}.` : ""));
  const said = (claims) => make("ul", { class: "claims" }, ...claims.map(claimItem));
  fill(find("tested"),
    ...abtest.heading.map((line) =>
      make("p", { class: line.startsWith("NOT TO BE") ? "alarm" : "" }, line)),
    ...abtest.families.flatMap(({ heading, claims }) =>
      [heading ? make("h3", {}, heading) : null, said(claims)]),
    said(abtest.untested), said(abtest.guardrails), ...doubtsOf(abtest.doubts));
  fill(find("tested-tables"), make("h3", {}, "Every comparison"), tableOf(abtest.table),
    ...abtest.table_notes.map((note) => make("p", { class: "soft" }, note)),
    ...(abtest.planning ? [make("h3", {}, "What it would take"), tableOf(abtest.planning),
      ...abtest.planning_notes.map((note) => make("p", { class: "soft" }, note))] : []));
}

function showMethod() {
  const { method } = content;
  fill(find("paragraph"), method.paragraph);
  const metrics = method.metrics.map((one) => definition(one, { Numerator: one.numerator,
    Denominator: one.denominator, Counts: one.counts, Columns: one.columns, Unit: one.unit,
    Better: one.better, Undefined: one.undefined, Needs: one.needs, Source: one.source }, false));
  const queries = Object.entries(method.sql).map(([name, text]) =>
    make("details", {}, make("summary", {}, name), make("pre", {}, make("code", {}, text))));
  fill(find("method-body"), ...methodOf(method.facts, method.versions, "Metrics", metrics),
    make("h3", {}, "SQL that ran"), make("details", { class: "doc", id: "sql" },
      make("summary", {}, `${queries.length} queries`), ...queries));
}
