// The message box: text, slash commands with completion, errors where they happen.

import { el, fill, freshId, icon } from "./dom.js";
import { api, Refused } from "./api.js";
import { chooser, Pending } from "./files.js";
import { store } from "./store.js";

const TALLEST = 180;
const DRAFT = "switchboard.draft.";

/** What was typed for a place; it outlives a reload, not the window. */
const drafts = {
  read: (place) => sessionStorage.getItem(DRAFT + place) ?? "",
  keep: (place, text) => (text ? sessionStorage.setItem(DRAFT + place, text) : sessionStorage.removeItem(DRAFT + place)),
};

export class Composer {
  #picked = 0;
  #offered = [];
  #history = [];
  #at = -1;
  #draft = null; // whose draft for which conversation is shown
  #sending = Promise.resolve(); // one after the other, so that messages keep their order

  /** @param {{place: () => {channel: string, thread: string|null}, id: string, testid: string, commands: boolean}} options */
  constructor({ place, id, testid, commands = true, onSent = () => {} }) {
    this.place = place;
    this.commands = commands;
    this.onSent = onSent;
    const listId = freshId("commands");
    this.text = el("textarea", {
      class: "composer-text", id, rows: "1", autocomplete: "off", autocapitalize: "off", spellcheck: "true", "data-testid": testid,
      "aria-haspopup": commands ? "listbox" : null, "aria-controls": commands ? listId : null, "aria-autocomplete": commands ? "list" : null,
    });
    this.options = el("div", { class: "completion", id: listId, role: "listbox", "aria-label": "Commands", "data-testid": commands ? "completion" : null, hidden: true });
    this.hint = el("div", { class: "usage", "data-testid": commands ? "usage-hint" : null, hidden: true });
    this.error = el("div", { class: "composer-error", role: "alert", "data-testid": `${testid}-error`, hidden: true });
    this.button = el("button", { type: "button", class: "send", "aria-label": "Send", title: "Send (Enter)", "data-testid": `${testid}-send` }, icon("send"));
    this.pending = new Pending({ onChange: () => this.#changed() });
    const attach = chooser({ label: "Attach files", testid: `${testid}-attach`, look: icon("clip"), pick: (files) => this.attach(files) });
    this.node = el("div", { class: "composer" }, this.options, this.error, this.hint, this.pending.node,
      el("div", { class: "composer-box" }, attach.button, attach.input, this.text, this.button));
    this.text.addEventListener("paste", (event) => {
      if (!event.clipboardData?.files.length) return;
      event.preventDefault();
      this.attach([...event.clipboardData.files]);
    });
    this.text.addEventListener("input", () => this.#changed());
    this.text.addEventListener("keydown", (event) => this.#key(event));
    this.text.addEventListener("blur", () => setTimeout(() => this.#offer([]), 120));
    this.text.addEventListener("focus", () => this.#changed());
    this.button.addEventListener("click", () => this.send());
    window.addEventListener("resize", () => this.#fit());
  }

  /** Say where the text goes and show the draft for it; forget complaints about another place. */
  address(words, place) {
    this.text.placeholder = words;
    this.text.setAttribute("aria-label", words);
    if (this.#draft !== place) {
      this.#draft = place;
      this.text.value = drafts.read(place);
      this.#complain("");
    }
    this.#changed();
  }

  put(text) {
    this.text.value = text;
    this.text.focus();
    this.text.setSelectionRange(text.length, text.length);
    this.#changed();
  }

  /** Upload files that wait here until they are sent. */
  attach(files) {
    this.#complain("");
    if (!this.pending.add(files, store.me.id)) this.#complain("A message takes ten files.");
    this.text.focus();
  }

  #complain(words) {
    this.error.textContent = words;
    this.error.hidden = !words;
  }

  #fit() {
    this.text.style.height = "auto";
    if (this.text.scrollHeight) this.text.style.height = `${Math.min(this.text.scrollHeight, TALLEST)}px`;
  }

  #changed() {
    this.#fit();
    if (this.#draft) drafts.keep(this.#draft, this.text.value);
    this.button.disabled = this.pending.busy || !(this.text.value.trim() || this.pending.ready.length);
    if (!this.commands) return;
    const value = this.text.value;
    const typing = document.activeElement === this.text && /^\/\S*$/.test(value);
    this.#offer(typing ? store.commands.filter((one) => one.command.startsWith(value.toLowerCase())) : []);
    const known = store.commands.find((one) => value.startsWith(`${one.command} `) || value === one.command);
    this.hint.hidden = !known || this.#offered.length > 0;
    if (known) fill(this.hint, el("code", {}, known.command), " ", el("span", { class: "usage-hint" }, known.hint), known.description && el("span", { class: "usage-more" }, known.description));
  }

  #offer(commands) {
    this.#offered = commands;
    this.#picked = Math.min(this.#picked, Math.max(commands.length - 1, 0));
    this.options.hidden = !commands.length;
    fill(this.options, commands.map((one, at) => el("div", {
      class: "completion-item", role: "option", id: `${this.options.id}-${at}`, "aria-selected": String(at === this.#picked), data: { command: one.command },
      on: { pointerdown: (event) => { event.preventDefault(); this.put(`${one.command} `); } },
    }, el("span", { class: "completion-name" }, one.command), el("span", { class: "completion-hint" }, one.hint), el("span", { class: "completion-more" }, one.description))));
    if (commands.length) this.text.setAttribute("aria-activedescendant", `${this.options.id}-${this.#picked}`);
    else this.text.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    if (event.isComposing) return;
    if (this.#offered.length && this.#choose(event)) {
      event.preventDefault();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.send();
    } else if (["ArrowUp", "ArrowDown"].includes(event.key) && (this.text.value === "" || this.#at >= 0)) {
      event.preventDefault();
      this.#recall(event.key === "ArrowUp" ? 1 : -1);
    }
  }

  #choose(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = this.#offered[this.#picked];
    if (step) {
      this.#picked = (this.#picked + step + this.#offered.length) % this.#offered.length;
      this.#offer(this.#offered);
    } else if (event.key === "Escape") this.#offer([]);
    else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey && this.text.value !== chosen.command)) this.put(`${chosen.command} `);
    else return false;
    return true;
  }

  #recall(step) {
    this.#at = Math.max(-1, Math.min(this.#history.length - 1, this.#at + step));
    const text = this.#at < 0 ? "" : this.#history[this.#at];
    const at = this.#at;
    this.put(text);
    this.#offer([]);
    this.#at = at;
  }

  async send() {
    const text = this.text.value.trim();
    const files = this.pending.ready;
    if (this.pending.busy || !(text || files.length)) return;
    const letter = { ...this.place(), text, files, person: store.me.id, draft: this.#draft }; // whoever one is when it leaves
    this.#complain("");
    this.text.value = "";
    this.pending.clear();
    this.#changed();
    this.#offer([]);
    const go = () => this.#try(letter);
    this.#sending = this.#sending.then(go, go);
    await this.#sending;
  }

  async #try(letter) {
    const { text } = letter;
    this.node.setAttribute("aria-busy", "true");
    try {
      await this.#deliver(letter);
      this.#history = [text, ...this.#history.filter((one) => one !== text)].slice(0, 30);
      this.#at = -1;
      this.onSent(text);
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      if (this.#draft !== letter.draft) drafts.keep(letter.draft, text);
      else if (!this.text.value) this.text.value = text;
      if (!this.pending.size) this.pending.restore(letter.files);
      this.#complain(problem.message);
    } finally {
      this.node.removeAttribute("aria-busy");
      this.#changed();
    }
  }

  #deliver({ person, channel, thread, text, files }) {
    if (files.length && text.startsWith("/")) throw new Refused("Commands carry no files. Send the file by itself.");
    if (files.length) return api.share(channel, files.map((file) => file.id), text, thread, person);
    const command = /^(\/\S+)\s*([\s\S]*)$/.exec(text);
    if (!command) return api.say(channel, text, thread, person);
    if (!this.commands) throw new Refused("Commands do not work in threads. Send it in the channel.");
    return api.slash(channel, command[1].toLowerCase(), command[2], person);
  }
}
