// Charts: a pie as a ring with its legend. What a reader of the screen hears is the legend.

import { el } from "./dom.js";

const SHADES = ["--accent", "--info", "--faint", "--accent-strong"];
const MEANT = { completed: "--good", answered: "--good", failed: "--danger", pending: "--warn", canceled: "--faint" };

// A colour that means something belongs to its word, whatever its place; green is never "failed".
function shade(label, at) {
  return `var(${MEANT[String(label).toLowerCase()] ?? SHADES[at % SHADES.length]})`;
}

function pie(chart) {
  const segments = (chart.segments ?? []).filter((one) => one.value > 0);
  const total = segments.reduce((sum, one) => sum + one.value, 0);
  let reached = 0;
  const slices = segments.map((one, at) => {
    const from = reached;
    reached += one.value / total;
    return `${shade(one.label, at)} ${from * 360}deg ${reached * 360}deg`;
  });
  const ring = el("div", { class: "chart-ring", "aria-hidden": "true" });
  ring.style.background = `conic-gradient(${slices.join(", ")})`;
  const legend = el("ul", { class: "chart-legend" }, segments.map((one, at) => {
    const dot = el("span", { class: "chart-dot", "aria-hidden": "true" });
    dot.style.background = shade(one.label, at);
    return el("li", {}, dot, `${one.label} `, el("strong", {}, String(one.value)), ` (${Math.round((one.value / total) * 100)} %)`);
  }));
  return el("div", { class: "chart-body" }, ring, legend);
}

// Series of any other chart, as rows of figures.
function figures(chart) {
  const rows = (chart.series ?? []).map((one) => el("tr", {}, el("th", { scope: "row" }, one.name ?? ""),
    (one.data ?? []).map((point) => el("td", { class: "align-right" }, String(point?.value ?? point ?? "")))));
  return el("div", { class: "table-scroll" }, el("table", { class: "table" }, el("tbody", {}, rows)));
}

/** A `data_visualization` block. */
export function chart(block) {
  const drawn = block.chart?.type === "pie" ? pie(block.chart) : figures(block.chart ?? {});
  return el("figure", { class: "chart" }, el("figcaption", { class: "figure-title" }, block.title ?? "Chart"), drawn);
}
