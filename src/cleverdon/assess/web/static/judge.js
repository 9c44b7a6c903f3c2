// One document at a time: what is said moves on at once, and is sent behind the scenes.

import "./clicks.js";
import { dialogOf, isAsking } from "./dialogs.js";
import { lastSaid } from "./earlier.js";
import "./everywhere.js";
import { listen } from "./keys.js";
import { Pace } from "./pace.js";
import { Progress } from "./progress.js";
import { changes, say, state } from "./sending.js";
import * as standings from "./standing.js";
import { coveredUntil, tell } from "./status.js";
import { Trail, fetched } from "./trail.js";
import { Watch } from "./watch.js";

const root = document.getElementById("judging");
const place = document.getElementById("document");
const forms = document.getElementById("forms");
const back = document.getElementById("back");
const on = document.getElementById("on");
const help = document.getElementById("help");
const { topic, address } = root.dataset;
const AGAIN = 5000; // milliseconds until a document is asked for again

begin();

function begin() {
  const progress = new Progress(topic);
  const trail = new Trail(topic, firstEntry(), Number(root.dataset.event) || undefined);
  const watch = new Watch();
  const timings = root.dataset.seconds.split(" ").filter(Boolean).map(Number);
  const pace = new Pace(document.getElementById("pace"), timings);
  let said = []; // what u takes back: items, and how they stood before
  const buttons = [...document.querySelectorAll("#grades button")];
  const announced = document.getElementById("announced");
  let shown = trail.current ?? null; // null while there is no document to speak of
  let asked = null; // the document that a dialog is about
  const ask = () => {
    asked = shown;
  };
  const skipping = dialogOf(document.getElementById("skip").closest("details"), ask);
  const noting = dialogOf(document.getElementById("note").closest("details"), ask);

  function record(values, entry = shown) {
    if (values.kind === "note" && values.text.trim() === entry.standing.note) return;
    const isLast = values.kind === "grade" || values.kind === "skip";
    const before = entry.standing;
    const request = send(entry, standings.after(before, values), {
      ...values,
      ...(isLast ? { seconds: timed() } : {}),
    });
    said.push({ item: entry.item, before, request });
    document.getElementById("judged")?.remove();
    const announcement = standings.announcement(values);
    if (isLast && entry === shown) {
      moveOn(announcement);
    } else {
      if (entry === shown) fill(entry);
      announced.textContent = announcement;
    }
  }

  // For the document that is shown, if there is one.
  function withShown(act) {
    if (shown) act();
    else tell("There is no document here: press ← for earlier ones.");
  }

  function send(entry, standing, values) {
    const change = standings.isDone(standing) - standings.isDone(entry.standing);
    entry.standing = standing;
    entry.stale = true;
    const words = standings.words(values);
    return say({ ...values, item: entry.item, topic, label: entry.label, words, change });
  }

  function timed() {
    const { seconds } = watch;
    pace.add(seconds);
    return seconds;
  }

  // What is fetched already is shown without waiting, so that no key is lost in between.
  function moveOn(announcement) {
    if (trail.left > 0) {
      show(trail.on(), announcement);
    } else {
      wait(announcement);
    }
  }

  async function wait(announcement) {
    shown = null;
    forms.hidden = true;
    announced.textContent = announcement;
    showText("Fetching the next document");
    arrive(await trail.forward());
  }

  async function forward() {
    if (!shown) wait("");
    else if (trail.left > 0) moveOn("");
    else arrive(await trail.forward());
  }

  function arrive(next) {
    if (next) showUnlessAsking(next);
    else if (next === undefined) return;
    else if (trail.problem && !shown) waitForServer();
    else if (shown && (trail.problem || !standings.isDone(shown.standing))) {
      explain("There are no other documents left in this topic.");
    } else {
      showNothing();
    }
  }

  function waitForServer() {
    showText(`The next document cannot be fetched: ${trail.problem}`);
    setTimeout(async () => {
      if (!shown && trail.problem) arrive(await trail.forward());
    }, AGAIN);
  }

  async function backward() {
    if (!shown && trail.current) {
      show(trail.to(trail.current.item), "");
      return;
    }
    const before = await trail.back();
    if (before) showUnlessAsking(before);
    else if (before === null) explain("There are no earlier ones.");
  }

  // What arrives late must not take the place of the document that one is asked about.
  function showUnlessAsking(entry) {
    if (shown && isAsking()) trail.to(shown.item);
    else show(entry, "");
  }

  function explain(otherwise) {
    const { problem } = trail;
    tell(problem ? `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.` : otherwise);
  }

  async function undo() {
    let last = said.pop();
    if (!last) {
      const { turn } = trail;
      last = await earlier();
      // Who has gone on meanwhile, or said something, does not mean that word any more.
      if (!last || said.length > 0 || turn !== trail.turn || isAsking()) return;
    }
    const entry = trail.to(last.item);
    send(entry, last.before ?? entry.standing, { kind: "undo", undoes: last.request });
    show(entry, "Undone.");
  }

  // What was said before this page was loaded: of the document that is shown, or else the last word.
  async function earlier() {
    if (shown && standings.isSaid(shown.standing) && !isWaiting(shown.item)) return shown;
    const { found, why, untilSent } = await lastSaid(topic);
    if (found && (await trail.bring(found.item))) return found;
    tell(why ?? "The document of which you said something last cannot be fetched.", { untilSent });
    return null;
  }

  function show(entry, announcement) {
    shown = entry;
    place.innerHTML = entry.html; // the server's, in which everything is escaped
    forms.hidden = false;
    watch.restart();
    fill(entry);
    back.hidden = false;
    on.hidden = false;
    tell(entry.again ? passedOver(entry.again) : "");
    entry.again = 0;
    history.replaceState(null, "", `${address}?item=${entry.item}`);
    announced.textContent = announcement; // the title is read out since it gets the focus
    place.querySelector("h2").focus({ preventScroll: true });
    if (place.getBoundingClientRect().top < coveredUntil()) place.scrollIntoView();
    refresh(entry);
  }

  function showText(text) {
    if (place.querySelector("h2")?.textContent === text) return;
    const heading = document.createElement("h2");
    heading.tabIndex = -1;
    heading.textContent = text;
    place.replaceChildren(heading);
    heading.focus({ preventScroll: true });
  }

  function showNothing() {
    shown = null;
    forms.hidden = true;
    on.hidden = true;
    history.replaceState(null, "", address);
    place.replaceChildren(document.getElementById("nothing-left").content.cloneNode(true));
    place.querySelector("h2").focus();
  }

  function fill(entry) {
    const { standing } = entry;
    standings.show(standing, document.getElementById("standing"), buttons);
    for (const field of document.querySelectorAll("form[data-say] input[name=item]")) {
      field.value = entry.item;
    }
    if (!document.querySelector("dialog[open]")) {
      document.getElementById("skip-reason").value = standing.skipped ?? "";
      document.getElementById("note-text").value = standing.note;
    }
    document.querySelector("#flag button").setAttribute("aria-pressed", String(standing.flagged));
    document.getElementById("noted").textContent = standing.note;
    progress.show();
  }

  // What one said of it is written by the server: ask for it, once all was sent.
  async function refresh(entry) {
    if (!entry.stale || isWaiting(entry.item)) return;
    const fresh = await fetched(entry.item);
    if (!fresh) return;
    Object.assign(entry, { html: fresh.html, stale: false });
    if (shown !== entry) return;
    place.querySelector(".history")?.remove();
    const made = document.createElement("template");
    made.innerHTML = fresh.html;
    const written = made.content.querySelector(".history");
    if (written) place.querySelector("article").append(written);
  }

  function fromForm(form, button) {
    const values = new FormData(form, button);
    const kind = form.dataset.say;
    if (kind === "grade") return { kind, grade: Number(values.get("grade")) };
    if (kind === "flag") return { kind, flagged: !shown.standing.flagged };
    return { kind, text: values.get("text") };
  }

  addEventListener("submit", (event) => {
    if (!event.target.dataset.say) return;
    event.preventDefault();
    const { say: kind } = event.target.dataset;
    if (kind === "undo") undo();
    else if (kind === "skip" || kind === "note") record(fromForm(event.target), asked);
    else if (shown) record(fromForm(event.target, event.submitter));
  });
  back.addEventListener("click", (event) => {
    event.preventDefault();
    backward();
  });
  on.addEventListener("click", (event) => {
    event.preventDefault();
    forward();
  });
  document.getElementById("ask").addEventListener("click", () => help.showModal());

  changes.addEventListener("told", ({ detail: { saying, answer } }) => {
    progress.told(saying, answer);
    if (!shown && trail.problem) wait(""); // the server is there again
    const entry = trail.entries[trail.find(saying.item)];
    if (!entry || isWaiting(saying.item)) return;
    entry.standing = answer.standing;
    if (entry === shown) {
      fill(entry);
      refresh(entry);
    }
  });
  changes.addEventListener("refused", async ({ detail: { saying } }) => {
    const before = said.find(({ request }) => request === saying.request)?.before;
    // To undo what was not taken would take back what stood before it.
    said = said.filter(({ request }) => request !== saying.request);
    const entry = trail.entries[trail.find(saying.item)];
    const fresh = entry && (await fetched(saying.item)); // it stands as it stood before
    const standing = fresh?.standing ?? before; // which may not be told any more
    if (!entry || !standing) return;
    Object.assign(entry, fresh, { standing });
    if (entry === shown) fill(entry);
  });
  // It is the last word on its document now, so that u takes it back first.
  changes.addEventListener("again", ({ detail: { saying } }) => {
    const entry = trail.entries[trail.find(saying.item)];
    if (!entry || saying.kind === "undo") return;
    said.push({ item: entry.item, before: entry.standing, request: saying.request });
    Object.assign(entry, { standing: standings.after(entry.standing, saying), stale: true });
    if (entry === shown) fill(entry);
  });
  changes.addEventListener("changed", () => progress.show());
  addEventListener("online", () => {
    if (!shown && trail.problem) wait("");
    else trail.ahead();
  });

  listen({
    ArrowRight: forward,
    ArrowLeft: backward,
    u: undo,
    s: () => withShown(skipping),
    n: () => withShown(noting),
    f: () => withShown(() => record({ kind: "flag", flagged: !shown.standing.flagged })),
    "?": () => help.showModal(),
    grade: (grade) => {
      const isThere = buttons.some(({ value }) => Number(value) === grade);
      if (isThere) withShown(() => record({ kind: "grade", grade }));
      else tell(`There is no grade ${grade} on this scale.`);
    },
  });

  document.documentElement.classList.add("scripted");
  if (shown) fill(shown);
  trail.ahead();
}

function firstEntry() {
  const item = Number(place.querySelector("article").dataset.item);
  if (!item) return null; // nothing is left
  const waiting = state().waiting.filter((saying) => saying.item === item);
  const standing = waiting.reduce(standings.after, JSON.parse(root.dataset.standing));
  const label = place.querySelector("h2").textContent;
  return { item, html: place.innerHTML, standing, label, stale: waiting.length > 0, again: 0 };
}

function isWaiting(item) {
  return state().waiting.some((saying) => saying.item === item);
}

function passedOver(count) {
  if (count === 1) return "You passed over this one, the last that is left.";
  return `You passed over ${count} documents: here they are.`;
}
