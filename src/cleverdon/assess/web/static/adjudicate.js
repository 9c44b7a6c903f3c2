// Keys, for who settles many documents: a digit gives the grade that holds, an arrow passes on.

import "./clicks.js";
import { listen } from "./keys.js";

listen({
  grade: (value) => document.querySelector(`.ruling button[value="${value}"]`)?.click(),
  ArrowRight: () => document.getElementById("next")?.click(),
});
