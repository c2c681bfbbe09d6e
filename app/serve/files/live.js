// Where every page begins: which one it is, by its address, and whether the server is there.
import { getJson } from "./api.js";
import { indexPage } from "./index.js";
import { labPage } from "./lab.js";
import { studyPage } from "./study.js";
import { trialPage } from "./trial.js";

// "/study/NAME/trial/7"; names stay as the address has them.
const [, , study, part, number] = location.pathname.split("/");
const live = document.getElementById("live");

// "live", or that the server is away; the browser tries again by itself.
function say(there) {
  live.textContent = there ? "live" : "not connected; trying again";
  live.dataset.there = there;
}

if (!study) indexPage(say);
else if (part === "lab") labPage(study, say);
else if (part === "trial") trialPage(study, Number(number), say);
else studyPage(study, say);
getJson("server").then((server) => (document.getElementById("version").textContent = server.version), () => {});
