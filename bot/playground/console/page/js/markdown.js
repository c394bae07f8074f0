// The `markdown` block: the usual Markdown, as far as a bot's message needs it. No HTML passes.

import { el } from "./dom.js";
import { textNodes } from "./emoji.js";
import { link } from "./mrkdwn.js";

const INLINE = /(\\[\\`*_~[\]()#>|-])|(`[^`]+`)|(\*\*|__)(?=\S)([^\n]*?\S)\3|([*_])(?=\S)([^\n]*?\S)\5|~~(?=\S)([^\n]*?\S)~~|!?\[([^\]\n]*)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>)|"]+)/;

function inline(text) {
  const found = INLINE.exec(text);
  if (!found) return textNodes(text);
  const [whole, escaped, code, , strong, , emphasis, strike, label, url, bare] = found;
  const node = escaped ? document.createTextNode(escaped[1])
    : code ? el("code", {}, code.slice(1, -1))
    : strong ? el("strong", {}, inline(strong))
    : emphasis ? el("em", {}, inline(emphasis))
    : strike ? el("s", {}, inline(strike))
    : bare ? link(bare, bare)
    : link(url, label || url);
  return [...textNodes(text.slice(0, found.index)), node, ...inline(text.slice(found.index + whole.length))];
}

const cells = (row) => row.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());

function table(rows) {
  const [head, , ...body] = rows;
  return el("div", { class: "table-scroll" }, el("table", { class: "table" },
    el("thead", {}, el("tr", {}, cells(head).map((cell) => el("th", { scope: "col" }, inline(cell))))),
    el("tbody", {}, body.map((row) => el("tr", {}, cells(row).map((cell) => el("td", {}, inline(cell))))))));
}

function listItem(text) {
  const task = /^\[([ xX])\] (.*)$/.exec(text);
  if (!task) return el("li", {}, inline(text));
  return el("li", { class: "task" }, el("span", { class: "task-box", "aria-label": task[1] === " " ? "open" : "done" }, task[1] === " " ? "☐" : "☑"), " ", inline(task[2]));
}

// Each rule: what a block of lines starts with, which lines belong to it, how it is drawn.
const RULES = [
  { starts: /^```/, take: (lines) => Math.max(lines.findIndex((line, at) => at > 0 && line.startsWith("```")) + 1, 1) || lines.length,
    draw: (lines) => el("pre", {}, lines.slice(1, lines.length > 1 && lines.at(-1).startsWith("```") ? -1 : undefined).join("\n")) },
  { starts: /^#{1,6} /, take: () => 1, draw: ([line]) => el("div", { class: "md-heading", role: "heading", "aria-level": Math.min(line.indexOf(" ") + 2, 6) }, inline(line.replace(/^#+ /, ""))) },
  { starts: /^(-{3,}|\*{3,})\s*$/, take: () => 1, draw: () => el("hr", { class: "divider" }) },
  { starts: /^> ?/, take: (lines) => run(lines, /^> ?/), draw: (lines) => el("blockquote", {}, paragraph(lines.map((line) => line.replace(/^> ?/, "")))) },
  { starts: /^[-*+] /, take: (lines) => run(lines, /^[-*+] /), draw: (lines) => el("ul", { class: "rich-list" }, lines.map((line) => listItem(line.slice(2)))) },
  { starts: /^\d+[.)] /, take: (lines) => run(lines, /^\d+[.)] /), draw: (lines) => el("ol", { class: "rich-list" }, lines.map((line) => listItem(line.replace(/^\d+[.)] /, "")))) },
  { starts: /^\|.*\|\s*$/, when: (lines) => /^\|[\s:|-]+\|\s*$/.test(lines[1] ?? ""), take: (lines) => run(lines, /^\|.*\|\s*$/), draw: table },
];

function run(lines, pattern) {
  const end = lines.findIndex((line) => !pattern.test(line));
  return end < 0 ? lines.length : end;
}

function paragraph(lines) {
  return lines.flatMap((line, at) => (at ? [el("br"), ...inline(line)] : inline(line)));
}

const ruleFor = (lines) => RULES.find((rule) => rule.starts.test(lines[0]) && (!rule.when || rule.when(lines)));

/** Markdown text as one node. */
export function markdown(text) {
  const root = el("div", { class: "text rich" });
  let lines = String(text ?? "").split("\n");
  while (lines.length) {
    const rule = ruleFor(lines);
    let count = 1;
    if (rule) {
      count = rule.take(lines);
      root.append(rule.draw(lines.slice(0, count)));
    } else if (lines[0].trim()) {
      const end = lines.findIndex((line, at) => at > 0 && (!line.trim() || ruleFor(lines.slice(at))));
      count = end < 0 ? lines.length : end;
      root.append(el("p", {}, paragraph(lines.slice(0, count))));
    }
    lines = lines.slice(count);
  }
  return root;
}
