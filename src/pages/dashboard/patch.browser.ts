/**
 * Brings a page up to date without loading it again. Elements match by key, else by position, so a button never becomes
 * that of another action. Rows of a list match by position, since moving them would shift the layout.
 *
 * While the pointer, the focus or a selection is in a list, the lists are paused: rows neither move nor appear. Rows
 * that are there follow their record and keep their height; the head of the section says how many are new.
 */

import { find, findAll } from "../dom.browser.js";

/** Number of records that each section showed before it was paused, by the section's id. */
const shownTotals = new Map<string, number>();
/** Rows of the lists on the page that are on no list of a fresh page, by key. */
const rowsElsewhere = new WeakMap<Document, ReadonlyMap<string | undefined, HTMLElement>>();
let isPaused = false;

function isHeld(list: HTMLElement): boolean {
  const selection = getSelection();
  // The way to the button that shows what waits leads over the section.
  const part = list.closest("[data-part]") ?? list;
  return (
    part.matches(":hover") ||
    list.contains(document.activeElement) ||
    (selection !== null && !selection.isCollapsed && list.contains(selection.anchorNode))
  );
}

/** Keys of the rows on the page while the lists are paused, for the server to send them wherever they are now. */
export function heldKeys(): readonly string[] {
  if (!findAll("[data-list]").some(isHeld)) return [];
  return findAll("main [data-list] > .row").map(({ dataset }) => dataset.key!);
}

/** @param isWhole shows what waits for the lists too, as after a press */
export function showPage(fresh: Document, isWhole: boolean): void {
  isPaused = !isWhole && findAll("[data-list]").some(isHeld);
  if (!rowsElsewhere.has(fresh)) {
    const rows = findAll("[data-held] > *", fresh).map((row) => [row.dataset.key, row] as const);
    rowsElsewhere.set(fresh, new Map(rows));
    for (const held of findAll("[data-held]", fresh)) held.remove();
  }
  if (!isPaused) {
    for (const row of findAll("[data-list] > [style]")) row.removeAttribute("style");
    for (const more of findAll("[data-more]")) more.hidden = true;
  }
  for (const part of ["#act", ".top", ".menu", "main"]) {
    const [old, next] = [find(part), find(part, fresh)];
    if (old !== null && next !== null) patchKeepingFocus(old, next);
  }
  if (!isPaused) noteTotals();
}

export function noteTotals(): void {
  for (const { id, dataset } of findAll("[data-total]")) shownTotals.set(id, Number(dataset.total));
}

/** True while a section says that it has more than it shows. */
export function isBehind(): boolean {
  return findAll("[data-more]").some(({ hidden }) => !hidden);
}

/** Focus that was in a removed element moves to its row or section, where Enter does nothing. */
function patchKeepingFocus(old: HTMLElement, next: HTMLElement): void {
  const places: HTMLElement[] = [];
  for (let at = document.activeElement; at !== null && old.contains(at); at = at.parentElement)
    if (at.matches(".row, [data-part], main")) places.push(at as HTMLElement);
  const focused = document.activeElement;
  patch(old, next);
  const place = focused?.isConnected === false && places.find((one) => one.isConnected);
  if (!place) return;
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
}

function keyOf(node: Node): string {
  if (!(node instanceof HTMLElement)) return "";
  const action = node instanceof HTMLButtonElement && node.name === "do" ? node.value : "";
  return node.id || node.dataset.key || action;
}

function patch(old: Node, next: Node): void {
  if (!(old instanceof HTMLElement && next instanceof HTMLElement)) {
    if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue;
    return;
  }
  if (old.matches("[data-more], [data-live-mark], .copy[data-said]") || old.isEqualNode(next)) return;
  const isField = old.matches("input, textarea, select");
  if (isField && old === document.activeElement) return;
  patchAttributes(old, next);
  if (isField) return;
  if (isPaused && old.matches("[data-list]")) patchHeldList(old, next);
  else patchChildren(old, next);
}

/** Keeps open and focused what the reader has opened or focused. */
const OWN_ATTRIBUTES = /^(open|style|tabindex)$/;

function patchAttributes(old: HTMLElement, next: HTMLElement): void {
  for (const { name } of [...old.attributes])
    if (!next.hasAttribute(name) && !OWN_ATTRIBUTES.test(name)) old.removeAttribute(name);
  for (const { name, value } of next.attributes)
    if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
}

function patchChildren(old: HTMLElement, next: HTMLElement): void {
  const isByPlace = old.matches("[data-list]");
  const keyed = new Map([...old.childNodes].map((child) => [keyOf(child), child]));
  let at: ChildNode | null = old.firstChild;
  for (const wanted of [...next.childNodes]) {
    const key = keyOf(wanted);
    const known: ChildNode | null | undefined = isByPlace || key === "" ? at : keyed.get(key);
    const isAlike = known?.nodeName === wanted.nodeName && keyOf(known) === key && known.parentNode === old;
    if (isAlike && known) {
      if (known === at) at = at.nextSibling;
      else old.insertBefore(known, at);
      patch(known, wanted);
    } else if (isByPlace && at?.nodeType === wanted.nodeType) {
      const following: ChildNode | null = at.nextSibling;
      at.replaceWith(wanted.cloneNode(true));
      at = following;
    } else old.insertBefore(wanted.cloneNode(true), at);
  }
  while (at !== null) {
    const following: ChildNode | null = at.nextSibling;
    at.remove();
    at = following;
  }
}

function patchHeldList(old: HTMLElement, next: HTMLElement): void {
  const part = next.closest<HTMLElement>("[data-part]")!;
  const fresh = new Map(rowsElsewhere.get(next.ownerDocument));
  for (const row of findAll("[data-list] > *", part)) fresh.set(row.dataset.key, row);
  const rows = [...old.children] as HTMLElement[];
  for (const row of rows) row.style.height ||= `${row.getBoundingClientRect().height}px`;
  for (const row of rows) {
    const now = fresh.get(row.dataset.key);
    if (now !== undefined) patch(row, now);
  }
  const known = new Set(rows.map(({ dataset }) => dataset.key));
  const added = [...next.children].filter((row) => !known.has((row as HTMLElement).dataset.key)).length;
  const total = part.dataset.total;
  const newCount = total === undefined ? added : Number(total) - (shownTotals.get(part.id) ?? 0);
  const isGone = rows.some(({ dataset }) => !fresh.has(dataset.key));
  const more = find("[data-more]", old.closest("[data-part]")!);
  if (more === null) return;
  more.hidden = newCount <= 0 && added === 0 && !isGone;
  more.textContent = newCount > 0 ? `paused · ${newCount} new` : "paused · changed";
}
