// Talking to the console: one JSON call for the picture, one event stream for what changes, small POSTs for page actions.

import { store } from "./store.js";

/** Why an action did not work, in a sentence for the person. */
export class Refused extends Error {}

async function post(path, body, person = store.me?.id) {
  let answer;
  try {
    answer = await fetch(`/console/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ as: person, ...body }),
    });
  } catch {
    store.tell("lost");
    throw new Refused("The playground doesn't answer. Is it still running?");
  }
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok || data.error) throw new Refused(data.error ?? `The playground answered ${answer.status}.`);
  return data;
}

async function upload(file, milliseconds, person = store.me?.id) {
  const query = new URLSearchParams({ as: person, name: file.name, type: file.type, ms: milliseconds ?? "" });
  let answer;
  try {
    answer = await fetch(`/console/upload?${query}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
  } catch {
    store.tell("lost");
    throw new Refused("The file couldn't be uploaded.");
  }
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok || data.error) throw new Refused(data.error ?? `The playground answered ${answer.status}.`);
  return data;
}

export const api = {
  upload,
  share: (channel, files, text, thread, person) => post("share", { channel, files, text, thread_ts: thread ?? null }, person),
  shortcut: (channel, ts, callbackId) => post("shortcut", { channel, ts, callback_id: callbackId }),
  deleteFile: (file) => post("delete-file", { file }),
  say: (channel, text, thread, person) => post("say", { channel, text, thread_ts: thread ?? null }, person),
  slash: (channel, command, text, person) => post("slash", { channel, command, text }, person),
  act: (channel, ts, action) => post("act", { channel, ts, action }),
  actInView: (action) => post("act-in-view", { action }),
  actAtHome: (action) => post("act-at-home", { action }),
  submit: (values) => post("submit", { values }),
  close: (view, clear = false) => post("close", { view, clear }),
  home: () => post("home", {}),
  arm: (service, operation, kind, times) => post("faults", { service, operation, kind, times }),
  behave: (service) => post("behave", { service }),
};

/** The whole picture as one person sees it. */
export async function picture(person) {
  const query = person ? `?as=${encodeURIComponent(person)}` : "";
  const answer = await fetch(`/console/state${query}`);
  if (!answer.ok) throw new Refused(`The playground answered ${answer.status}.`);
  return answer.json();
}

/** The stream of one person. EventSource reconnects by itself and names the last change it saw. */
export class Stream {
  #source = null;

  start(person, position, { onChange, onGap, onOnline }) {
    this.stop();
    const query = new URLSearchParams({ as: person, after: position });
    const source = new EventSource(`/console/stream?${query}`);
    this.#source = source;
    source.addEventListener("open", () => onOnline(true));
    source.addEventListener("error", () => onOnline(false));
    source.addEventListener("change", (event) => onChange(JSON.parse(event.data)));
    source.addEventListener("gap", () => onGap());
  }

  stop() {
    this.#source?.close();
    this.#source = null;
  }
}
