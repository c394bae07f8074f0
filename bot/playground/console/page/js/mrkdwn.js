// The chat's own markup ("mrkdwn") as nodes. Whatever is not markup stays text; nothing is ever parsed as HTML.

import { el } from "./dom.js";
import { textNodes } from "./emoji.js";
import { fillDate } from "./dates.js";
import { store } from "./store.js";

const TOKEN = /(`[^`\n]+`)|(<[^<>\n]+>)|(https?:\/\/[^\s<>|]+)|(:[a-z0-9_+'-]+:)|([*_~])/gi;
const TAGS = { "*": "strong", _: "em", "~": "s" };

/** The three entities of message text, nothing else. */
export function decode(text) {
  return text.replace(/&(amp|lt|gt);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">" })[name]);
}

/** A link if its scheme is harmless, else only its words. */
export function link(url, words) {
  const safe = /^(https?:\/\/|mailto:)/i.test(url.trim());
  if (!safe) return el("span", { class: "dead-link", title: "This kind of link is not opened" }, words);
  const follow = (event) => store.goTo(url.trim()) && event.preventDefault();
  return el("a", { href: url.trim(), target: "_blank", rel: "noopener noreferrer nofollow", on: { click: follow } }, words);
}

/** The mention of a person, marked when it is the reader. */
export function mention(id, label = "") {
  const person = store.person(id);
  const mine = id === store.me?.id;
  return el("span", { class: mine ? "mention mention-me" : "mention", data: { user: id } }, `@${person?.name ?? (label || id)}`);
}

export function channelReference(id, label = "") {
  const channel = store.channels.get(id);
  if (!channel) return el("span", { class: "mention" }, `#${label || id}`);
  return el("button", { class: "mention mention-channel", type: "button", on: { click: () => store.open(id) } }, `#${channel.name}`);
}

function groupReference(id, label) {
  const handle = store.groups.get(id)?.handle ?? (label.replace(/^@/, "") || id);
  return el("span", { class: "mention" }, `@${handle}`);
}

function angled(inside, options, first) {
  const bar = inside.indexOf("|");
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? "" : decode(inside.slice(bar + 1));
  if (/^@[UW]/.test(target)) return mention(target.slice(1), label);
  if (/^#[CGD]/.test(target)) return channelReference(target.slice(1), label);
  if (target.startsWith("!subteam^")) return groupReference(target.slice(9), label);
  if (target.startsWith("!date^")) return dateNode(target, label, first);
  if (/^!(here|channel|everyone)$/.test(target)) return el("span", { class: "mention mention-me" }, `@${target.slice(1)}`);
  if (target.startsWith("!")) return document.createTextNode(label || target.slice(1));
  const url = decode(target);
  return link(url, textNodes(label || url.replace(/^mailto:/, ""), options));
}

// At the beginning of a line "tomorrow" is written with a capital.
function dateNode(target, fallback, first) {
  const [, unix, pattern = "{date}", url] = target.split("^");
  const filled = fillDate(unix, decode(pattern), fallback || unix);
  const moment = /^\d+$/.test(unix) ? new Date(Number(unix) * 1000) : null;
  const valid = moment && !Number.isNaN(moment.getTime());
  const words = valid && first ? filled.charAt(0).toUpperCase() + filled.slice(1) : filled;
  const node = el("time", { datetime: valid ? moment.toISOString() : null, title: fallback || null }, words);
  return url ? link(decode(url), node) : node;
}

// A formatting sign opens after a boundary and before a word, and closes the other way round, on the same line.
function closing(text, start, sign) {
  const before = text[start - 1];
  if ((before && /[\p{L}\p{N}*_~]/u.test(before)) || !text[start + 1] || /\s/.test(text[start + 1])) return -1;
  for (let at = start + 2; at < text.length; at += 1) {
    if (text[at] === "\n") return -1;
    if (text[at] === "<") at = Math.max(at, text.indexOf(">", at));
    else if (text[at] === "`") at = Math.max(at, text.indexOf("`", at + 1));
    else if (text[at] === sign && !/\s/.test(text[at - 1]) && !/[\p{L}\p{N}]/u.test(text[at + 1] ?? "")) return at;
  }
  return -1;
}

function inline(text, options) {
  const nodes = [];
  let done = 0; // everything before is drawn
  const plain = (until) => until > done && nodes.push(...textNodes(decode(text.slice(done, until)), options));
  for (let found = next(text, 0); found; found = next(text, found.end)) {
    const [whole, code, angle, url, short, sign] = found;
    found.end = found.index + whole.length;
    const end = sign ? closing(text, found.index, sign) : found.end;
    if (short || end < 0 || (url && options.verbatim)) continue;
    plain(found.index);
    if (sign) nodes.push(el(TAGS[sign], {}, inline(text.slice(found.index + 1, end), options)));
    else if (code) nodes.push(el("code", {}, decode(code.slice(1, -1))));
    else if (angle) nodes.push(angled(angle.slice(1, -1), options, /(^|\n)$/.test(text.slice(0, found.index))));
    else nodes.push(...bareLink(url));
    done = found.end = sign ? end + 1 : end;
  }
  plain(text.length);
  return nodes;
}

function next(text, from) {
  TOKEN.lastIndex = from;
  return TOKEN.exec(text);
}

function bareLink(found) {
  const url = decode(found);
  const trimmed = url.replace(/[.,;:!?)\]'"]+$/, "");
  const rest = url.slice(trimmed.length);
  return [link(trimmed, trimmed), ...(rest ? [document.createTextNode(rest)] : [])];
}

function quoteOf(line) {
  const found = /^(?:>|&gt;) ?(.*)$/s.exec(line);
  return found ? found[1] : null;
}

function lines(text, options) {
  const nodes = [];
  let quoted = [];
  let flowing = [];
  const flush = () => {
    if (flowing.length) nodes.push(...inline(flowing.join("\n"), options));
    if (quoted.length) nodes.push(el("blockquote", {}, inline(quoted.join("\n"), options)));
    flowing = [];
    quoted = [];
  };
  for (const line of text.split("\n")) {
    const quote = quoteOf(line);
    if ((quote === null ? quoted : flowing).length) flush();
    (quote === null ? flowing : quoted).push(quote === null ? line : quote);
  }
  flush();
  return nodes;
}

/**
 * Message text as nodes.
 * @param {string} text
 * @param {{verbatim?: boolean, shortNames?: boolean}} options verbatim: bare addresses stay text.
 */
export function mrkdwn(text, options = {}) {
  const settings = { verbatim: false, shortNames: true, ...options };
  const fragment = document.createDocumentFragment();
  String(text ?? "").split(/```\n?([\s\S]*?)```\n?/).forEach((piece, index) => {
    if (index % 2) fragment.append(el("pre", {}, decode(piece.replace(/\n$/, ""))));
    else if (piece) fragment.append(...lines(piece.replace(index ? /^\n/ : /^$/, ""), settings));
  });
  return fragment;
}

/** A text object ({type, text, emoji, verbatim}) as nodes. */
export function textObject(object) {
  if (!object) return "";
  if (typeof object === "string") return document.createTextNode(object);
  if (object.type === "mrkdwn") return mrkdwn(object.text, { verbatim: object.verbatim === true });
  const fragment = document.createDocumentFragment();
  fragment.append(...textNodes(String(object.text ?? ""), { shortNames: object.emoji !== false }));
  return fragment;
}

/** What a text object says without markup, for labels and announcements. */
export function plainText(object) {
  const holder = document.createElement("span");
  holder.append(textObject(object));
  return holder.textContent;
}
