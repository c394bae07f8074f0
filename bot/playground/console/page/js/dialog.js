// Native dialogs: they hold the focus, close on Esc and give the focus back.

import { el } from "./dom.js";
import { plainText, textObject } from "./mrkdwn.js";

/** Ask before an action, as a `confirm` object says. Resolves to whether the person went on. */
export function confirmed(confirm) {
  if (!confirm) return Promise.resolve(true);
  return new Promise((resolve) => {
    const go = el("button", { type: "button", class: `button button-${confirm.style === "danger" ? "danger" : "primary"}`, "data-testid": "confirm-yes" }, plainText(confirm.confirm) || "Yes");
    const stay = el("button", { type: "button", class: "button", "data-testid": "confirm-no" }, plainText(confirm.deny) || "Cancel");
    const dialog = el("dialog", { class: "dialog dialog-small", "aria-label": plainText(confirm.title), "data-testid": "confirm" },
      el("h2", { class: "dialog-title" }, textObject(confirm.title)),
      el("div", { class: "text dialog-text" }, textObject(confirm.text)),
      el("div", { class: "dialog-actions" }, stay, go));
    const finish = (answer) => {
      dialog.close();
      dialog.remove();
      resolve(answer);
    };
    go.addEventListener("click", () => finish(true));
    stay.addEventListener("click", () => finish(false));
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      finish(false);
    });
    document.body.append(dialog);
    dialog.showModal();
    go.focus();
  });
}

/**
 * A small menu that hangs below its button: arrows move, Enter picks, Esc and a click elsewhere close.
 * @param {HTMLElement} button
 * @param {{label: Node|string, pick: Function, id?: string, checked?: boolean}[]} items
 */
export function openMenu(button, items) {
  document.querySelector(".menu")?.remove();
  const menu = el("div", { class: "menu", role: "menu" });
  const close = (giveBack) => {
    menu.remove();
    button.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
    if (giveBack) button.focus();
  };
  const outside = (event) => {
    if (!menu.contains(event.target) && !button.contains(event.target)) close(false);
  };
  menu.append(...items.map((item) => el("button", {
    type: "button", role: "menuitem", class: "menu-item", "data-value": item.id ?? null,
    on: { click: () => { close(true); item.pick(); } },
  }, item.label)));
  menu.addEventListener("keydown", (event) => {
    const all = [...menu.children];
    const at = all.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") close(true);
    else if (step) all[(at + step + all.length) % all.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  (button.closest("dialog") ?? document.body).append(menu);
  place(menu, button);
  button.setAttribute("aria-expanded", "true");
  document.addEventListener("pointerdown", outside, true);
  menu.firstChild?.focus();
}

function place(menu, button) {
  const box = button.getBoundingClientRect();
  const size = menu.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left, window.innerWidth - size.width - 8));
  const below = box.bottom + 4;
  const top = below + size.height > window.innerHeight - 8 ? Math.max(8, box.top - size.height - 4) : below;
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
}
