// Judging one document at a time: a judgment moves on at once, and is sent in the background.

import "./double_clicks.js";
import { dialogOf, isAsking } from "./dialogs.js";
import { lastJudgment } from "./own_judgments.js";
import "./assessor.js";
import { listen } from "./keys.js";
import { Progress } from "./progress.js";
import { changes, queue, state } from "./sending.js";
import * as judgments from "./judgment.js";
import { coveredHeight, showMessage } from "./status.js";
import { Trail, fetchEntry } from "./trail.js";
import { Pace, Stopwatch } from "./timing.js";

const root = document.getElementById("judging");
const container = document.getElementById("document");
const forms = document.getElementById("forms");
const backLink = document.getElementById("back");
const nextLink = document.getElementById("next");
const help = document.getElementById("help");
const { query, address } = root.dataset;
const RETRY = 5000; // milliseconds until a document is requested again

begin();

function begin() {
  const progress = new Progress(query);
  const trail = new Trail(query, firstEntry(), Number(root.dataset.event) || undefined);
  const watch = new Stopwatch();
  const timings = root.dataset.seconds.split(" ").filter(Boolean).map(Number);
  const pace = new Pace(document.getElementById("pace"), timings);
  let undoable = []; // events that undo takes back, with the judgment before each
  const buttons = [...document.querySelectorAll("#grades button")];
  const announced = document.getElementById("announced");
  let shown = trail.current ?? null; // null while there is no document
  let inDialog = null; // the document that the open dialog is about
  const noteShown = () => {
    inDialog = shown;
  };
  const openSkip = dialogOf(document.getElementById("skip").closest("details"), noteShown);
  const openNote = dialogOf(document.getElementById("note").closest("details"), noteShown);

  function record(values, entry = shown) {
    if (values.kind === "note" && values.text.trim() === entry.judgment.note) return;
    const isLast = values.kind === "grade" || values.kind === "skip";
    const before = entry.judgment;
    const request = send(entry, judgments.applyEvent(before, values), {
      ...values,
      ...(isLast ? { seconds: timed() } : {}),
    });
    undoable.push({ item: entry.item, before, request });
    document.getElementById("judged")?.remove();
    const announcement = judgments.announcement(values);
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
    else showMessage("There is no document here: press ← for earlier ones.");
  }

  function send(entry, judgment, values) {
    const change = judgments.isDone(judgment) - judgments.isDone(entry.judgment);
    entry.judgment = judgment;
    entry.stale = true;
    const description = judgments.describe(values);
    return queue({ ...values, item: entry.item, query, label: entry.label, description, change });
  }

  function timed() {
    const { seconds } = watch;
    pace.add(seconds);
    return seconds;
  }

  // A prefetched document is shown without waiting, so that no key press is lost.
  function moveOn(announcement) {
    if (trail.left > 0) {
      show(trail.advance(), announcement);
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
    else if (shown && (trail.problem || !judgments.isDone(shown.judgment))) {
      explain("There are no other documents left in this query.");
    } else {
      showNothing();
    }
  }

  function waitForServer() {
    showText(`The next document cannot be fetched: ${trail.problem}`);
    setTimeout(async () => {
      if (!shown && trail.problem) arrive(await trail.forward());
    }, RETRY);
  }

  async function backward() {
    if (!shown && trail.current) {
      show(trail.goTo(trail.current.item), "");
      return;
    }
    const before = await trail.back();
    if (before) showUnlessAsking(before);
    else if (before === null) explain("There are no earlier ones.");
  }

  // A document that arrives late must not replace the one that the open dialog is about.
  function showUnlessAsking(entry) {
    if (shown && isAsking()) trail.goTo(shown.item);
    else show(entry, "");
  }

  function explain(otherwise) {
    const { problem } = trail;
    showMessage(problem ? `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.` : otherwise);
  }

  async function undo() {
    let last = undoable.pop();
    if (!last) {
      const { turn } = trail;
      last = await judgmentBefore();
      // Give up if the person has moved on or judged something since.
      if (!last || undoable.length > 0 || turn !== trail.turn || isAsking()) return;
    }
    const entry = trail.goTo(last.item);
    send(entry, last.before ?? entry.judgment, { kind: "undo", undoes: last.request });
    show(entry, "Undone.");
  }

  // The judgment to undo if none was made on this page: of the shown document, or else the last.
  async function judgmentBefore() {
    if (shown && judgments.canUndo(shown.judgment) && !isWaiting(shown.item)) return shown;
    const { found, why, untilSent } = await lastJudgment(query);
    if (found && (await trail.ensure(found.item))) return found;
    const text = why ?? "The document that you judged last cannot be fetched.";
    showMessage(text, { untilSent });
    return null;
  }

  function show(entry, announcement) {
    shown = entry;
    container.innerHTML = entry.html; // the server's, in which everything is escaped
    forms.hidden = false;
    watch.restart();
    fill(entry);
    backLink.hidden = false;
    nextLink.hidden = false;
    showMessage(entry.again ? passedOver(entry.again) : "");
    entry.again = 0;
    history.replaceState(null, "", `${address}?item=${entry.item}`);
    announced.textContent = announcement; // the title is read out since it gets the focus
    container.querySelector("h2").focus({ preventScroll: true });
    if (container.getBoundingClientRect().top < coveredHeight()) container.scrollIntoView();
    refresh(entry);
  }

  function showText(text) {
    if (container.querySelector("h2")?.textContent === text) return;
    const heading = document.createElement("h2");
    heading.tabIndex = -1;
    heading.textContent = text;
    container.replaceChildren(heading);
    heading.focus({ preventScroll: true });
  }

  function showNothing() {
    shown = null;
    forms.hidden = true;
    nextLink.hidden = true;
    history.replaceState(null, "", address);
    container.replaceChildren(document.getElementById("nothing-left").content.cloneNode(true));
    container.querySelector("h2").focus();
  }

  function fill(entry) {
    const { judgment } = entry;
    judgments.show(judgment, document.getElementById("judgment"), buttons);
    for (const field of document.querySelectorAll("form[data-kind] input[name=item]")) {
      field.value = entry.item;
    }
    if (!document.querySelector("dialog[open]")) {
      document.getElementById("skip-reason").value = judgment.skipped ?? "";
      document.getElementById("note-text").value = judgment.note;
    }
    document.querySelector("#flag button").setAttribute("aria-pressed", String(judgment.flagged));
    document.getElementById("noted").textContent = judgment.note;
    progress.show();
  }

  // The server renders the history of judgments: fetch it once everything is sent.
  async function refresh(entry) {
    if (!entry.stale || isWaiting(entry.item)) return;
    const fresh = await fetchEntry(entry.item);
    if (!fresh) return;
    Object.assign(entry, { html: fresh.html, stale: false });
    if (shown !== entry) return;
    container.querySelector(".history")?.remove();
    const made = document.createElement("template");
    made.innerHTML = fresh.html;
    const written = made.content.querySelector(".history");
    if (written) container.querySelector("article").append(written);
  }

  function fromForm(form, button) {
    const values = new FormData(form, button);
    const kind = form.dataset.kind;
    if (kind === "grade") return { kind, grade: Number(values.get("grade")) };
    if (kind === "flag") return { kind, flagged: !shown.judgment.flagged };
    return { kind, text: values.get("text") };
  }

  addEventListener("submit", (event) => {
    if (!event.target.dataset.kind) return;
    event.preventDefault();
    const { kind } = event.target.dataset;
    if (kind === "undo") undo();
    else if (kind === "skip" || kind === "note") record(fromForm(event.target), inDialog);
    else if (shown) record(fromForm(event.target, event.submitter));
  });
  backLink.addEventListener("click", (event) => {
    event.preventDefault();
    backward();
  });
  nextLink.addEventListener("click", (event) => {
    event.preventDefault();
    forward();
  });
  document.getElementById("show-keys").addEventListener("click", () => help.showModal());

  changes.addEventListener("answered", ({ detail: { judgmentEvent, answer } }) => {
    progress.update(judgmentEvent, answer);
    if (!shown && trail.problem) wait(""); // the server is there again
    const entry = trail.entries[trail.find(judgmentEvent.item)];
    if (!entry || isWaiting(judgmentEvent.item)) return;
    entry.judgment = answer.standing;
    if (entry === shown) {
      fill(entry);
      refresh(entry);
    }
  });
  changes.addEventListener("refused", async ({ detail: { judgmentEvent } }) => {
    const before = undoable.find(({ request }) => request === judgmentEvent.request)?.before;
    // Undoing a refused event would undo the one before it.
    undoable = undoable.filter(({ request }) => request !== judgmentEvent.request);
    const entry = trail.entries[trail.find(judgmentEvent.item)];
    const fresh = entry && (await fetchEntry(judgmentEvent.item)); // as it was before
    const judgment = fresh?.judgment ?? before; // the item may no longer be visible
    if (!entry || !judgment) return;
    Object.assign(entry, fresh, { judgment });
    if (entry === shown) fill(entry);
  });
  // It is now the latest event of its document, so undo takes it back first.
  changes.addEventListener("requeued", ({ detail: { judgmentEvent } }) => {
    const entry = trail.entries[trail.find(judgmentEvent.item)];
    if (!entry || judgmentEvent.kind === "undo") return;
    undoable.push({ item: entry.item, before: entry.judgment, request: judgmentEvent.request });
    const judgment = judgments.applyEvent(entry.judgment, judgmentEvent);
    Object.assign(entry, { judgment, stale: true });
    if (entry === shown) fill(entry);
  });
  changes.addEventListener("changed", () => progress.show());
  addEventListener("online", () => {
    if (!shown && trail.problem) wait("");
    else trail.prefetch();
  });

  listen({
    ArrowRight: forward,
    ArrowLeft: backward,
    u: undo,
    s: () => withShown(openSkip),
    n: () => withShown(openNote),
    f: () => withShown(() => record({ kind: "flag", flagged: !shown.judgment.flagged })),
    "?": () => help.showModal(),
    grade: (grade) => {
      const isThere = buttons.some(({ value }) => Number(value) === grade);
      if (isThere) withShown(() => record({ kind: "grade", grade }));
      else showMessage(`There is no grade ${grade} on this scale.`);
    },
  });

  document.documentElement.classList.add("scripted");
  if (shown) fill(shown);
  trail.prefetch();
}

function firstEntry() {
  const item = Number(container.querySelector("article").dataset.item);
  if (!item) return null; // nothing is left
  const waiting = state().waiting.filter((judgmentEvent) => judgmentEvent.item === item);
  const judgment = waiting.reduce(judgments.applyEvent, JSON.parse(root.dataset.judgment));
  const label = container.querySelector("h2").textContent;
  return { item, html: container.innerHTML, judgment, label, stale: waiting.length > 0, again: 0 };
}

function isWaiting(item) {
  return state().waiting.some((judgmentEvent) => judgmentEvent.item === item);
}

function passedOver(count) {
  if (count === 1) return "You passed over this one, the last that is left.";
  return `You passed over ${count} documents: here they are.`;
}
