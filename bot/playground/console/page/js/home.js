// The App Home of the person one acts as.

import { el } from "./dom.js";
import { api, Refused } from "./api.js";
import { drawBlocks } from "./blocks.js";
import { store } from "./store.js";

/** The home view as one node. */
export function homeView() {
  const problem = el("div", { class: "action-error", role: "alert", hidden: true });
  const dispatch = async (action) => {
    problem.hidden = true;
    try {
      await api.actAtHome(action);
    } catch (failure) {
      if (!(failure instanceof Refused)) throw failure;
      problem.textContent = failure.message;
      problem.hidden = false;
    }
  };
  const surface = { dispatch, state: (block, action) => store.home?.values?.[block]?.[action] ?? null, errors: {}, level: 2 };
  const drawn = store.home ? drawBlocks(store.home.blocks, surface) : el("p", { class: "home-empty" }, "Switchboard draws this page when you open it. Nothing has come yet.");
  return el("div", { class: "home", "data-testid": "home" }, drawn, problem);
}
