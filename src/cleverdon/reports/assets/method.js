// Files and method.

function showFiles() {
  const said = [
    ...content.warnings.map((text) => make("li", { class: "severity-warning" }, text)),
    ...content.findings.map((finding) => make("li", {}, severity(finding.severity),
      `${finding.file}: ${finding.message}`, finding.fix ? ` (${finding.fix})` : "")),
  ];
  const share = (value) => (value === undefined ? "" : `${(100 * value).toFixed(1)}%`);
  const columns = ["", "file", "rows", "queries", "tied", "judged in top 10", "BLAKE3"];
  const rows = content.method.files.map((file) => make("tr", {},
    make("td", {}, file.name), make("td", { class: "digest" }, file.file || "(in memory)"),
    make("td", { class: "number" }, file.rows.toLocaleString("en")),
    make("td", { class: "number" }, file.queries.toLocaleString("en")),
    make("td", { class: "number" }, share(file.tied)),
    make("td", { class: "number" }, share(file.judged)),
    make("td", { class: "digest name" }, file.digest)));
  fill(find("file-list"),
    said.length ? make("ul", {}, ...said) : make("p", {}, "Nothing was found to be wrong."),
    make("div", { class: "scroll" }, make("table", {},
      make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", {}, name)))),
      make("tbody", {}, ...rows))));
}

function showMethod() {
  const unfolded = new Set([...find("method-body").querySelectorAll("details[open] > summary")]
    .map((summary) => summary.textContent));
  const { method } = content;
  const { paragraph, facts: choices, checklist, latex } = comparison()?.method ?? method;
  fill(find("paragraph"), paragraph);
  const blocks = method.measures.map((one) => definition(one, { Parameters: one.parameters,
    Better: one.better, User: one.user, Undefined: one.undefined, Source: one.source },
  unfolded.has(one.name)));
  const reported = checklist ? [make("h3", {}, "Reporting checklist"), facts(checklist),
    make("details", { open: unfolded.has("as LaTeX") }, make("summary", {}, "as LaTeX"),
      make("pre", {}, latex))] : [];
  fill(find("method-body"), ...reported,
    ...methodOf(choices, method.versions, "Measures", blocks));
}
