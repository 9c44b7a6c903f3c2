// Light and dark, print, edges, and the way to sections. A page calls `dressed` once it stands.

const DARK = matchMedia("(prefers-color-scheme: dark)");
const looks = { dark: DARK.matches };

function applyTheme() {
  document.documentElement.dataset.theme = looks.dark ? "dark" : "light";
  fill(find("theme"), looks.dark ? "Light" : "Dark");
  redraw();
}

// Whatever is too wide for its place is scrolled sideways, and its edges show where it goes on.
const SIDEWAYS = ".scroll, .chart, .rankings, .formula, pre";

function showEdges() {
  const found = [...document.querySelectorAll(SIDEWAYS)].map((one) => {
    const hidden = one.scrollWidth - one.clientWidth - one.scrollLeft;
    return [one, `${one.scrollLeft > 1 ? "left" : ""} ${hidden > 1 ? "right" : ""}`.trim()];
  });
  for (const [one, more] of found) { // all are measured first: writing between would cost a layout
    if (more) one.dataset.more = more;
    else delete one.dataset.more;
  }
}

function watchEdges() {
  let asked = 0;
  const soon = () => {
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(showEdges);
  };
  new MutationObserver(soon).observe(document.body, { childList: true, subtree: true });
  addEventListener("resize", soon);
  for (const event of ["scroll", "toggle"]) document.addEventListener(event, soon, true);
  soon();
}

function dressed() {
  const setDark = (dark) => {
    looks.dark = dark;
    applyTheme();
  };
  find("theme").addEventListener("click", () => setDark(!looks.dark));
  DARK.addEventListener("change", () => setDark(DARK.matches));
  find("print").addEventListener("click", async () => {
    await Promise.all(figures.map(draw));
    print();
  });
  // Not by the address, which has what was picked, and which in a frame is that of another page.
  document.querySelectorAll("nav a").forEach((link) => link.addEventListener("click", (event) => {
    event.preventDefault();
    const section = find(link.hash.slice(1));
    section.scrollIntoView();
    section.focus({ preventScroll: true });
  }));
  // On paper nobody can open what is folded; what may be as long as it likes would fill it.
  let unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll(
      "main details:not([open], .doc, .vega-embed > details)")];
    unfolded.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => unfolded.forEach((one) => { one.open = false; }));
  watchEdges();
  applyTheme();
}

// Behind all else that a page has to do at its start: plots may take their time.
function begin() {
  document.documentElement.dataset.ready = "yes";
  setTimeout(() => {
    listFigures();
    redraw();
  });
}
