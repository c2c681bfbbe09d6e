// Where a page begins: which one it is, and whether the server is there.
import { indexPage } from "./index.js";
import { labPage } from "./lab.js";
import { studyPage } from "./study.js";
import { trialPage } from "./trial.js";

const { study, trial, lab, index } = document.body.dataset;
const live = document.getElementById("live");

// "live", or that the server is away; the browser tries again by itself.
function say(there) {
  live.textContent = there ? "live" : "not connected; trying again";
  live.dataset.there = there;
}

if (index) {
  indexPage(say);
} else if (study && lab) {
  labPage(Number(study), say);
} else if (study && trial) {
  trialPage(Number(study), Number(trial), say);
} else if (study) {
  studyPage(Number(study), say);
}
