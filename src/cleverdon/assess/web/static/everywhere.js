// On every page of an assessor: what waits is sent, and nobody signs out without knowing of it.

import { start, state } from "./sending.js";
import "./status.js";

addEventListener("submit", (event) => {
  const { pathname } = new URL(event.target.action, location.href);
  const leaving = pathname.startsWith("/account/sign-out"); // here, or everywhere
  const count = state().waiting.length;
  if (!leaving || count === 0) return;
  const question =
    `${count === 1 ? "1 judgment is" : `${count} judgments are`} not sent yet, and will wait in ` +
    "this browser until you sign in here again. Sign out all the same?";
  if (!confirm(question)) event.preventDefault();
});

start();
