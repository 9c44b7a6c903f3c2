// Claims, doubts, and the tables of averages and of costs.

function claimItem(claim) {
  return make("li", { class: claim.verdict.replace(" ", "-") }, claim.text);
}

function showClaims() {
  const compared = comparison();
  find("claims").hidden = !compared;
  if (!compared) return;
  const name = measure().name;
  fill(find("headline"), compared.headlines[name] ?? `${name} was not compared.`);
  const own = compared.claims.filter((claim) => claim.measure === name).map(claimItem);
  const folded = own.splice(CLAIMS);
  if (folded.length) {
    own.push(make("li", {}, make("details", {}, make("summary", {}, `${folded.length} more`),
      make("ul", {}, ...folded))));
  }
  fill(find("claim-list"), ...own);
  const others = compared.claims.filter((claim) => claim.measure !== name);
  find("other-claims").hidden = others.length === 0;
  fill(find("other-claims").querySelector("ul"), ...others.map(claimItem));
}

function showDoubts() {
  if (!content.doubts.length) return;
  const items = content.doubts.map((doubt) =>
    make("li", {}, make("span", { class: "name" }, doubt.name), `: ${doubt.sentence}. `,
      make("span", { class: "soft" }, doubt.reference)));
  fill(find("doubts"), make("h3", {}, "Before you believe it"), make("ul", {}, ...items));
}

function showTable() {
  const body = find("table-body");
  if (comparison()) {
    body.innerHTML = comparison().table; // written, and escaped, together with the page
    return;
  }
  const head = make("tr", {}, make("th", {}, "system"),
    ...measures.map((m) => make("th", { class: "number" }, m.name)));
  const rows = systems.map((system, s) => make("tr", {}, make("td", {}, system),
    ...measures.map((m, at) =>
      make("td", { class: "number" }, shown(content.means[at][s], m.digits)))));
  fill(body, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
}

// What the systems cost beside what they achieve, where that was measured.
function showCosts() {
  const known = content.costs.length > 0;
  find("costs").hidden = find("costs-link").hidden = !known;
  // Written, and escaped, together with the page.
  if (known) find("cost-table").innerHTML = content.costs[state.measure].table;
}
