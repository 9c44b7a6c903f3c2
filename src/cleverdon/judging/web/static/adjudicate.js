// Keyboard shortcuts of adjudication: a digit is the final grade, an arrow goes to the next case.

import "./double_clicks.js";
import { listen } from "./keys.js";

listen({
  grade: (value) => document.querySelector(`.ruling button[value="${value}"]`)?.click(),
  ArrowRight: () => document.getElementById("next")?.click(),
});
