// On every page of an assessor: send waiting judgments, and warn before signing out.

import { start, state } from "./sending.js";
import "./status.js";

addEventListener("submit", (event) => {
  const { pathname } = new URL(event.target.action, location.href);
  const leaving = pathname.startsWith("/account/sign-out"); // here, or everywhere
  const { waiting, isKept } = state();
  if (!leaving || waiting.length === 0) return;
  const what = waiting.length === 1 ? "1 judgment is" : `${waiting.length} judgments are`;
  const then = isKept ? "will wait in this browser until you sign in here again" : "will be lost";
  const question = `${what} not sent yet, and ${then}. Sign out anyway?`;
  if (!confirm(question)) event.preventDefault();
});

start();
