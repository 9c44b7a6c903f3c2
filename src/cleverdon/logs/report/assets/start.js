// The start of the script: fill the sections and the list of metrics.

// Hide empty sections, and the links to them.
function hideEmpty() {
  const { figures: drawn, lists } = content;
  const has = (section) => drawn.some(({ place }) => place === `${section}-figures`)
    || lists.some((list) => list.section === section);
  for (const section of ["funnel", "queries", "spread", "latency"]) {
    find(section).hidden = !has(section);
  }
  document.querySelectorAll("nav a").forEach((link) => {
    link.hidden = find(link.hash.slice(1)).hidden;
  });
}

function start() {
  fill(find("basis"), content.notes.join(" "));
  fill(find("metric"), ...content.daily.map((pick, at) =>
    make("option", { value: at }, nameOf(pick))));
  find("metric").addEventListener("change", (event) => {
    state.metric = +event.target.value;
    redraw();
  });
  showNumbers();
  showDoctor();
  showLists();
  showTest();
  showMethod();
  hideEmpty();
  dressed();
  begin();
}

start();
