// Keeps the dashboard up to date: every ten seconds its main part is fetched again, unless it is
// paused, hidden, or somebody is reading it with the keyboard or has selected something.

const EVERY = 10000;
const live = document.getElementById("live");
let paused = false;
let waiting = false;

document.documentElement.classList.add("scripted");

function isBusy() {
  const selection = getSelection();
  const inside = document.activeElement !== document.body && live.contains(document.activeElement);
  return paused || document.hidden || inside || (selection !== null && !selection.isCollapsed);
}

// Scroll positions of the tables, which keep their order.
function offsets() {
  return [...live.querySelectorAll(".scrolled")].map((table) => table.scrollLeft);
}

async function refresh() {
  if (waiting || isBusy()) return;
  waiting = true;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!answer.ok || answer.redirected || isBusy()) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("live");
    if (fresh === null || isBusy()) return;
    const scrolled = offsets();
    live.replaceChildren(...fresh.childNodes);
    live.querySelectorAll(".scrolled").forEach((table, place) => {
      table.scrollLeft = scrolled[place] ?? 0;
    });
  } catch {
    // Offline for a moment: the next refresh will do. The page shows its time.
  } finally {
    waiting = false;
  }
}

const button = document.getElementById("pause");
button.addEventListener("click", () => {
  paused = !paused;
  button.setAttribute("aria-pressed", String(paused));
});
setInterval(refresh, EVERY);
