// A list of messages: the channel's, or one thread's. Only what changed is drawn again.

import { announce, avatar, el, icon, patch } from "./dom.js";
import { api, Refused } from "./api.js";
import { drawBlocks } from "./blocks.js";
import { openMenu } from "./dialog.js";
import { drawFile } from "./files.js";
import { clock, dayKey, dayName, full } from "./dates.js";
import { mrkdwn } from "./mrkdwn.js";
import { unreadReplies } from "./reads.js";
import { store } from "./store.js";

const TOGETHER_SECONDS = 300;
const NEAR_END = 80;

const author = (message) => store.person(message.user) ?? { name: message.name || "Somebody", initials: "?", bot: message.bot };

function surface(message, complain) {
  return {
    dispatch: async (action) => {
      complain("");
      try {
        await api.act(message.channel, message.ts, action);
      } catch (problem) {
        if (!(problem instanceof Refused)) throw problem;
        complain(problem.message);
      }
    },
  };
}

function attachment(source, place) {
  return el("div", { class: "attachment" },
    source.pretext && el("div", { class: "text" }, mrkdwn(source.pretext)),
    source.title && el("div", { class: "attachment-title" }, String(source.title)),
    source.blocks ? drawBlocks(source.blocks, place) : (source.text || source.fallback) && el("div", { class: "text" }, mrkdwn(source.text || source.fallback)));
}

function body(message, complain) {
  const place = surface(message, complain);
  const built = message.bot && message.blocks.length > 0;
  return el("div", { class: built ? "message-body message-blocks" : "message-body" },
    message.blocks.length ? drawBlocks(message.blocks, place) : el("div", { class: "text" }, mrkdwn(message.text)),
    message.attachments.map((source) => attachment(source, place)),
    message.files.length > 0 && el("div", { class: "files" }, message.files.map(drawFile)));
}

function replySummary(message) {
  const replies = store.replies(message.channel, message.ts);
  if (!replies.length) return null;
  const fresh = unreadReplies(message.channel, message.ts);
  const faces = [...new Set(replies.map((reply) => reply.user))].slice(-3).map((id) => avatar(store.person(id), "xs"));
  return el("button", {
    type: "button", class: fresh ? "replies replies-new" : "replies", "data-testid": "replies",
    on: { click: () => store.openThread(message.channel, message.ts) },
  }, el("span", { class: "faces" }, faces), el("span", { class: "replies-count" }, replies.length === 1 ? "1 reply" : `${replies.length} replies`),
  fresh > 0 && el("span", { class: "badge badge-small" }, `${fresh} new`), el("span", { class: "replies-last" }, `last at ${clock(replies.at(-1).ts)}`));
}

function drawReplies(node, message) {
  patch(node.querySelector(".replies-place"), replySummary(message));
}

// What the app offers for a message, and what one can do with one's own files.
function moreActions(message, complain) {
  const attempt = async (action) => {
    complain("");
    try {
      await action();
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      complain(problem.message);
    }
  };
  const items = store.shortcuts.map(({ callback_id: id, name }) => ({ label: name, id, pick: () => attempt(() => api.shortcut(message.channel, message.ts, id)) }));
  const mine = message.user === store.me?.id ? message.files.filter((file) => !file.gone) : [];
  items.push(...mine.map((file) => ({ label: `Delete ${file.name}`, id: `delete-${file.id}`, pick: () => attempt(() => api.deleteFile(file.id)) })));
  if (!items.length) return null;
  const button = el("button", { type: "button", class: "tool", title: "More actions", "aria-label": "More actions", "aria-haspopup": "menu", "aria-expanded": "false", "data-testid": "more-actions" }, icon("dots"));
  button.addEventListener("click", () => openMenu(button, items));
  return button;
}

function draw(message, { together, inThread }) {
  const who = author(message);
  const problem = el("div", { class: "action-error", role: "alert", hidden: true });
  const complain = (text) => {
    problem.textContent = text;
    problem.hidden = !text;
  };
  const time = el("time", { class: "time", datetime: new Date(Number(message.ts) * 1000).toISOString(), title: full(message.ts) }, clock(message.ts));
  const more = moreActions(message, complain);
  const tools = !message.ephemeral && (!inThread || more) && el("div", { class: "tools" },
    !inThread && el("button", { type: "button", class: "tool", title: "Reply in thread", "aria-label": "Reply in thread", "data-testid": "open-thread", on: { click: () => store.openThread(message.channel, message.ts) } }, icon("thread")), more);
  const classes = ["message", together && "message-more", message.ephemeral && "message-private", message.bot && "message-app"];
  return el("article", {
    class: classes.filter(Boolean).join(" "), tabindex: "-1", "aria-label": `${who.name}, ${clock(message.ts)}`, "data-testid": "message",
    data: { ts: message.ts, user: message.user, channel: message.channel, ephemeral: message.ephemeral, thread: message.thread_ts },
  },
  el("div", { class: "message-side" }, together ? time : avatar(who)),
  el("div", { class: "message-main" },
    message.ephemeral && el("div", { class: "private-note" }, icon("eye"), "Only visible to you"),
    !together && el("div", { class: "message-head" }, el("span", { class: "author" }, who.name), message.bot && el("span", { class: "app-badge" }, "APP"), time),
    body(message, complain),
    message.edited && el("span", { class: "edited", title: `Edited ${clock(message.edited)}` }, "(edited)"),
    message.reactions.length > 0 && el("div", { class: "reactions" }, message.reactions.map(({ name, count }) => el("span", { class: "reaction" }, mrkdwn(`:${name}:`), ` ${count}`))),
    problem, !inThread && el("div", { class: "replies-place" }, replySummary(message))),
  tools);
}

export class MessageList {
  #drawn = new Map(); // key -> {node, message, together, summary}
  #channel = null;
  #thread = null;

  /** @param {HTMLElement} scroller @param {{intro: ((channel: object) => Node)|null, label: string, isThread?: boolean}} options */
  constructor(scroller, { intro, label, isThread = false }) {
    this.scroller = scroller;
    this.intro = intro;
    this.isThread = isThread;
    this.list = el("div", { class: "messages", role: "log", "aria-label": label, "aria-live": "off" });
    this.more = el("button", { type: "button", class: "more-below", hidden: true, on: { click: () => this.toEnd() } }, "New messages below");
    scroller.replaceChildren(this.list, this.more);
    const grown = new ResizeObserver(() => this.#stuck && this.toEnd());
    grown.observe(scroller);
    grown.observe(this.list); // a picture that arrives late pushes the end down
    scroller.addEventListener("scroll", () => {
      this.#stuck = this.#nearEnd();
      if (this.#stuck) this.more.hidden = true;
    }, { passive: true });
  }

  #stuck = true;
  #last = 0;

  #nearEnd() {
    return this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight < NEAR_END;
  }

  show(channel, thread = null) {
    this.#channel = channel;
    this.#thread = thread;
    this.#drawn.clear();
    this.#stuck = true;
    this.#last = 0;
    this.sync();
  }

  toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.#stuck = true;
    this.more.hidden = true;
  }

  /** Bring the nodes in line with the store. */
  sync() {
    if (!this.#channel) return;
    const stuck = this.#stuck;
    const messages = store.list(this.#channel, this.#thread);
    const rows = this.intro ? [this.intro(store.channels.get(this.#channel))] : [];
    let before = null;
    let day = null;
    for (const message of messages) {
      if (day !== dayKey(message.ts)) {
        day = dayKey(message.ts);
        rows.push(el("div", { class: "day", role: "separator" }, el("span", {}, dayName(message.ts))));
        before = null;
      }
      rows.push(this.#row(message, before));
      if (this.isThread && message.ts === this.#thread) {
        const count = messages.length - 1;
        rows.push(el("div", { class: "thread-rule" }, el("span", {}, count === 0 ? "No replies yet" : count === 1 ? "1 reply" : `${count} replies`)));
        before = null;
      } else before = message;
    }
    this.#place(rows);
    const last = messages.at(-1)?.order ?? 0;
    if (stuck) this.toEnd();
    else if (last > this.#last) this.more.hidden = false;
    this.#last = last;
  }

  #row(message, before) {
    const together = Boolean(before) && before.user === message.user && before.ephemeral === message.ephemeral && !message.ephemeral
      && message.order - before.order < TOGETHER_SECONDS * 1_000_000 && !before.blocks.length && !store.replies(before.channel, before.ts).length;
    const replies = this.isThread ? [] : store.replies(message.channel, message.ts);
    const summary = `${replies.length}.${replies.at(-1)?.order}.${this.isThread ? 0 : unreadReplies(message.channel, message.ts)}`;
    const known = this.#drawn.get(message.key);
    if (known && known.message === message && known.together === together) {
      if (known.summary !== summary) drawReplies(known.node, message); // whoever is about to press a button of it still does
      known.summary = summary;
      return known.node;
    }
    const node = draw(message, { together, inThread: this.isThread });
    if (known) this.#keepFocus(known.node, node);
    this.#drawn.set(message.key, { node, message, together, summary });
    return node;
  }

  // The message somebody just acted on is drawn anew: the focus stays with it.
  #keepFocus(old, fresh) {
    if (!old.contains(document.activeElement)) return;
    const action = document.activeElement.dataset.actionId;
    queueMicrotask(() => {
      const same = action && fresh.querySelector(`[data-action-id="${CSS.escape(action)}"]`);
      (same || fresh).focus({ preventScroll: true });
    });
  }

  #place(rows) {
    const wanted = new Set(rows);
    for (const child of [...this.list.children]) if (!wanted.has(child)) child.remove();
    rows.forEach((row, at) => {
      if (this.list.children[at] !== row) this.list.insertBefore(row, this.list.children[at] ?? null);
    });
  }
}

/** Read a new message of somebody else out. */
export function announceMessage(message) {
  if (message.user === store.me?.id) return;
  const words = document.createElement("span");
  words.append(mrkdwn(message.text));
  const where = store.channels.get(message.channel);
  announce(`${author(message).name}${where && where.id !== store.channel ? ` in ${where.name}` : ""}: ${words.textContent.slice(0, 300)}`);
}
