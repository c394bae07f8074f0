// rich_text blocks: structured text that needs no parsing.

import { el } from "./dom.js";
import { emojiFor, emojiNode, textNodes } from "./emoji.js";
import { channelReference, link, mention } from "./mrkdwn.js";
import { fillDate } from "./dates.js";
import { store } from "./store.js";

function styled(node, style = {}) {
  let result = node;
  for (const [name, tag] of [["code", "code"], ["strike", "s"], ["italic", "em"], ["bold", "strong"], ["underline", "u"]]) {
    if (style[name]) result = el(tag, {}, result);
  }
  return result;
}

function piece(element) {
  switch (element.type) {
    case "text":
      return styled(el("span", {}, textNodes(String(element.text ?? ""), { shortNames: false })), element.style);
    case "link":
      return styled(link(String(element.url ?? ""), String(element.text || element.url)), element.style);
    case "user":
      return styled(mention(element.user_id), element.style);
    case "channel":
      return styled(channelReference(element.channel_id), element.style);
    case "usergroup":
      return el("span", { class: "mention" }, `@${store.groups.get(element.usergroup_id)?.handle ?? element.usergroup_id}`);
    case "broadcast":
      return el("span", { class: "mention mention-me" }, `@${element.range}`);
    case "emoji": {
      const character = emojiFor(element.name);
      return character ? emojiNode(character, element.name) : document.createTextNode(`:${element.name}:`);
    }
    case "date":
      return el("time", {}, fillDate(String(element.timestamp), String(element.format ?? "{date}"), element.fallback ?? ""));
    case "color":
      return el("code", {}, String(element.value ?? ""));
    default:
      return document.createTextNode(String(element.text ?? ""));
  }
}

const pieces = (elements = []) => elements.map(piece);

function list(part) {
  const ordered = part.style === "ordered";
  const node = el(ordered ? "ol" : "ul", { class: "rich-list", start: ordered && part.offset ? part.offset + 1 : null });
  node.style.setProperty("--indent", String(part.indent ?? 0));
  node.append(...(part.elements ?? []).map((item) => el("li", {}, pieces(item.elements))));
  return node;
}

function part(element) {
  switch (element.type) {
    case "rich_text_list":
      return list(element);
    case "rich_text_quote":
      return el("blockquote", {}, pieces(element.elements));
    case "rich_text_preformatted":
      return el("pre", {}, pieces(element.elements));
    default:
      return el("div", { class: "rich-section" }, pieces(element.elements));
  }
}

/** A rich_text block (or cell) as one node. */
export function richText(block) {
  return el("div", { class: "text rich" }, (block.elements ?? []).map(part));
}
