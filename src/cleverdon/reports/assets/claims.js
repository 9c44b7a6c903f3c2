// Claims, doubts, and the tables of averages and of costs.

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
  fill(find("doubts"), ...doubtsOf(content.doubts));
}

function showTable() {
  const body = find("table-body");
  if (comparison()) {
    body.innerHTML = comparison().table; // written, and escaped, together with the page
    return;
  }
  const rows = systems.map((system, s) => [system,
    ...measures.map((m, at) => shown(content.means[at][s], m.digits))]);
  fill(body, tableOf({ header: ["system", ...measures.map((m) => m.name)], rows, labels: 1 }));
}

// What the systems cost beside what they achieve, where that was measured.
function showCosts() {
  const known = content.costs.length > 0;
  find("costs").hidden = find("costs-link").hidden = !known;
  // Written, and escaped, together with the page.
  if (known) find("cost-table").innerHTML = content.costs[state.measure].table;
}
