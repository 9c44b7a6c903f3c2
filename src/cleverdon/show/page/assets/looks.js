// Light and dark, print, and the way to sections. A page calls `dressed` once it stands.

const DARK = matchMedia("(prefers-color-scheme: dark)");
const looks = { dark: DARK.matches };

function applyTheme() {
  document.documentElement.dataset.theme = looks.dark ? "dark" : "light";
  fill(find("theme"), looks.dark ? "Light" : "Dark");
  redraw();
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
