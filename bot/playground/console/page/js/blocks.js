// Block Kit as nodes. A surface (message, modal, home) says what happens when somebody acts.

import { chart } from "./chart.js";
import { el, freshId } from "./dom.js";
import { control } from "./elements.js";
import { markdown } from "./markdown.js";
import { plainText, textObject } from "./mrkdwn.js";
import { richText } from "./richtext.js";

/**
 * @typedef {object} Surface
 * @property {(action: object) => Promise<void>} dispatch
 * @property {(blockId: string, actionId: string) => object|null} state what was entered before
 * @property {(blockId: string, actionId: string, made: object) => void} register keeps controls for reading
 * @property {Record<string, string>} errors by block id
 * @property {number} level of headings; 3 without it
 */

function make(element, block, surface, more = {}) {
  const made = control(element, {
    blockId: block.block_id ?? "", state: surface.state?.(block.block_id, element.action_id) ?? null,
    dispatch: surface.dispatch, labelledBy: null, describedBy: null, ...more,
  });
  surface.register?.(block.block_id, element.action_id, made);
  return made;
}

function picture(block) {
  const source = String(block.image_url ?? "");
  const own = source.startsWith("data:image/") || source.startsWith(window.location.origin);
  const words = block.alt_text ?? "";
  if (!own) return el("span", { class: "image-stand-in", role: "img", "aria-label": words }, words || "Image");
  return el("img", { class: block.type === "image" && !block.small ? "image" : "image image-small", src: source, alt: words, loading: "lazy" });
}

function section(block, surface) {
  const accessory = block.accessory && (block.accessory.type === "image"
    ? picture({ ...block.accessory, small: true })
    : make(block.accessory, block, surface).node);
  return el("div", { class: accessory ? "section section-split" : "section" },
    el("div", { class: "section-words" },
      block.text && el("div", { class: "text" }, textObject(block.text)),
      block.fields && el("div", { class: "fields" }, block.fields.map(field))),
    accessory && el("div", { class: "accessory" }, accessory));
}

function field(object) {
  return el("div", { class: "text field" }, textObject(object));
}

function header(block, surface) {
  return el("div", { class: "header", role: "heading", "aria-level": String(surface.level ?? 3) }, textObject(block.text));
}

function context(block) {
  return el("div", { class: "context" }, (block.elements ?? []).map((element) => (element.type === "image"
    ? picture({ ...element, small: true })
    : el("span", { class: "text" }, textObject(element)))));
}

function actions(block, surface) {
  return el("div", { class: "actions" }, (block.elements ?? []).map((element) => make(element, block, surface).node));
}

function image(block) {
  return el("figure", { class: "figure" }, block.title && el("figcaption", { class: "figure-title" }, textObject(block.title)), picture(block));
}

function input(block, surface) {
  const [label, note, error] = [freshId("label"), freshId("hint"), freshId("error")];
  const problem = surface.errors?.[block.block_id];
  const made = make(block.element, block, surface, {
    dispatch: block.dispatch_action ? surface.dispatch : null, labelledBy: label, describedBy: [block.hint && note, problem && error].filter(Boolean).join(" ") || null,
  });
  if (!block.optional) made.focus.setAttribute("aria-required", "true");
  if (problem) made.focus.setAttribute("aria-invalid", "true");
  const one = made.focus.matches("input, select, textarea");
  if (one) made.focus.id = freshId("field");
  return el("div", { class: problem ? "field-block field-wrong" : "field-block" },
    el(one ? "label" : "div", { class: "label", id: label, for: one ? made.focus.id : null }, textObject(block.label), block.optional && el("span", { class: "optional" }, " (optional)")),
    made.node,
    block.hint && el("div", { class: "hint", id: note }, textObject(block.hint)),
    problem && el("div", { class: "field-error", id: error, role: "alert", "data-testid": "field-error" }, problem));
}

function cell(value) {
  if (value?.type === "rich_text") return richText(value);
  if (value?.type === "raw_number") return document.createTextNode(String(value.text ?? value.number ?? value.value ?? ""));
  return document.createTextNode(String(value?.text ?? ""));
}

function table(block) {
  const rows = block.rows ?? [];
  const looks = (at, value) => {
    const setting = block.column_settings?.[at];
    const side = value?.type === "raw_number" ? "right" : setting?.align;
    const align = ["left", "center", "right"].includes(side) ? `align-${side}` : "";
    return `${align} ${setting?.is_wrapped === false ? "one-line" : ""}`.trim() || null;
  };
  const line = (row, tag) => el("tr", {}, row.map((value, at) => el(tag, { class: looks(at, value), scope: tag === "th" ? "col" : null }, cell(value))));
  return el("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": block.caption ?? "Table" },
    el("table", { class: "table" }, block.caption && el("caption", {}, typeof block.caption === "string" ? block.caption : textObject(block.caption)),
      rows.length && el("thead", {}, line(rows[0], "th")), el("tbody", {}, rows.slice(1).map((row) => line(row, "td")))));
}

function alert(block) {
  const level = ["info", "warning", "error", "success"].includes(block.level) ? block.level : "default";
  return el("div", { class: `alert alert-${level}`, role: "note" }, el("div", { class: "text" }, textObject(block.text)));
}

function container(block, surface) {
  return el("div", { class: "container" }, block.title && el("div", { class: "header" }, textObject(block.title)), (block.child_blocks ?? []).map((child) => drawBlock(child, surface)));
}

const BLOCKS = {
  section, header, context, actions, image, input, table, alert, container,
  data_table: table,
  data_visualization: chart,
  divider: () => el("hr", { class: "divider" }),
  rich_text: richText,
  markdown: (block) => markdown(block.text),
};

/** One block of a message or view. */
export function drawBlock(block, surface) {
  const draw = BLOCKS[block?.type];
  const node = draw ? draw(block, surface) : el("div", { class: "unknown" }, `The playground does not draw “${block?.type}” blocks yet.`);
  node.classList.add("block");
  node.dataset.blockId = block?.block_id ?? "";
  node.dataset.blockType = block?.type ?? "";
  return node;
}

/** All blocks of a message or view, in one node. */
export function drawBlocks(blocks, surface) {
  return el("div", { class: "blocks" }, (blocks ?? []).map((block) => drawBlock(block, surface)));
}

/** The readable words of blocks, for announcements when a message has no text of its own. */
export function blockWords(blocks) {
  return (blocks ?? []).map((block) => plainText(block.text)).filter(Boolean).join(" ");
}
