/**
 * The dashboard's only script; links and forms also work without it. It shows changes as they come, sends forms without
 * leaving the page, and moves along the rows by keys.
 */
import "../copy.browser.js";
import { find, findAll } from "../dom.browser.js";
import { followNews } from "./news.browser.js";
import { heldKeys, isBehind, noteTotals, showPage } from "./patch.browser.js";

/** A page of a busy sandbox is fetched once a second; a single change is shown at once. */
const APART_MS = 1_000;
const PAUSE_MS = 10;
const TYPING_MS = 150;
const TICK_MS = 250;
const NOTICE_MS = 8_000;
const SLOW_MS = 250;

const { src } = document.currentScript as HTMLScriptElement;
addEventListener("DOMContentLoaded", () => {
  const { namespace } = document.body.dataset;
  if (namespace !== undefined) start(namespace);
});

function start(namespace: string): void {
  const page = new Page(namespace);
  noteTotals();
  page.tick();
  setInterval(() => page.tick(), TICK_MS);
  const streamUrl = new URL(`stream?view=light&namespace=${encodeURIComponent(namespace)}`, src);
  followNews(
    namespace,
    streamUrl,
    () => page.isOffline,
    () => page.refreshSoon(),
  );
  for (const when of ["pointerout", "focusout", "selectionchange"])
    document.addEventListener(when, () => setTimeout(() => page.show(false)));
  // A height of a paused row is that of its width.
  addEventListener("resize", () => page.show(true));
  listenToForms(page);
  listenToClicks(page);
  listenToKeys();
  revealCurrent();
}

class Page {
  isOffline = false;
  isActing = false;
  readonly namespace: string;
  readonly clockUrl = new URL("clock", src);
  #fresh: Document | undefined;
  #seenAt = new Date();
  #due: ReturnType<typeof setTimeout> | undefined;
  #isBusy = false;
  #lastMs = Number.NEGATIVE_INFINITY;
  #clock = { nowMs: 0, speed: 0, sinceMs: 0 };

  constructor(namespace: string) {
    this.namespace = namespace;
    this.#readClock();
    this.#mark();
  }

  refreshSoon(): void {
    const delayMs = Math.max(PAUSE_MS, this.#lastMs + APART_MS - performance.now());
    this.#due ??= setTimeout(() => void this.refresh(false), delayMs);
  }

  async refresh(isWhole: boolean): Promise<void> {
    clearTimeout(this.#due);
    this.#due = undefined;
    if (this.#isBusy && !isWhole) return this.refreshSoon();
    this.#isBusy = true;
    this.#lastMs = performance.now();
    try {
      if (await this.take(await this.fetchPart(location.href))) this.show(isWhole);
    } catch {
      this.#setOffline(true);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Fetches the page's body alone, with the rows that a paused list shows. */
  fetchPart(url: string, init: RequestInit = {}): Promise<Response> {
    return fetch(url, {
      ...init,
      headers: { accept: "text/html", "sandbox-part": heldKeys().join(" ") || "1" },
    });
  }

  /** Returns false if the response is no page of this namespace. */
  async take(response: Response): Promise<boolean> {
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    this.#setOffline(false);
    if (fresh.body.dataset.namespace !== this.namespace) return false;
    this.#fresh = fresh;
    const notice = find("#said > *", fresh);
    if (notice !== null) showNotice(notice);
    return true;
  }

  show(isWhole: boolean): void {
    if (this.#fresh === undefined) return;
    showPage(this.#fresh, isWhole);
    this.#readClock();
    this.#mark();
  }

  /** Runs the clock between two fetches at the speed of sandbox time. */
  tick(): void {
    const text = find("[data-clock-text]");
    if (text === null) return;
    const { nowMs, speed, sinceMs } = this.#clock;
    const now = new Date(nowMs + (performance.now() - sinceMs) * speed).toISOString().slice(11, 19);
    if (text.textContent !== now) text.textContent = now;
  }

  #readClock(): void {
    const { now = "", speed } = find("[data-clock]")?.dataset ?? {};
    if (Date.parse(now) !== this.#clock.nowMs || Number(speed) !== this.#clock.speed)
      this.#clock = { nowMs: Date.parse(now), speed: Number(speed), sinceMs: performance.now() };
    this.tick();
  }

  #setOffline(isOffline: boolean): void {
    const gone = find("#gone")!;
    gone.hidden = !isOffline;
    if (isOffline) {
      const at = this.#seenAt.toTimeString().slice(0, 8);
      gone.textContent = `The sandbox is not answering. Last seen ${at}. Reconnecting…`;
    } else this.#seenAt = new Date();
    this.isOffline = isOffline;
    this.#mark();
  }

  #mark(): void {
    const mark = find("[data-live-mark]")!;
    const [tone, text] = this.isOffline
      ? ["off", "✗ offline"]
      : isBehind()
        ? ["", "‖ paused"]
        : ["on", "● live"];
    mark.className = `live ${tone}`;
    mark.textContent = text!;
  }
}

let hush: ReturnType<typeof setTimeout> | undefined;
function showNotice(notice: Element): void {
  clearTimeout(hush);
  const said = find("#said")!;
  said.replaceChildren(document.importNode(notice, true));
  if (!notice.matches(".bad")) hush = setTimeout(() => said.replaceChildren(), NOTICE_MS);
}

function listenToForms(page: Page): void {
  let typing: ReturnType<typeof setTimeout> | undefined;
  /** Filters apply while typing; the field keeps its focus. */
  const filter = (form: HTMLFormElement) => {
    clearTimeout(typing);
    const fields = [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === "string" && value !== "" ? [[name, value]] : [],
    );
    const query = new URLSearchParams(fields).toString();
    history.replaceState(null, "", location.pathname + (query === "" ? "" : `?${query}`));
    void page.refresh(true);
  };
  const isHere = (form: HTMLFormElement | null): form is HTMLFormElement =>
    form?.matches("[data-live]") === true && new URL(form.action).pathname === location.pathname;
  document.addEventListener("input", ({ target }) => {
    const { form, type } = target as HTMLInputElement;
    if (type !== "search" || !isHere(form)) return;
    clearTimeout(typing);
    typing = setTimeout(() => filter(form), TYPING_MS);
  });
  document.addEventListener("change", ({ target }) => {
    const field = target as HTMLSelectElement;
    if (field.matches("[data-go]")) field.form!.submit();
    else if (field.matches("select") && isHere(field.form)) filter(field.form);
  });
  document.addEventListener("submit", (event) => {
    clearTimeout(typing);
    const form = event.target as HTMLFormElement;
    if (!form.matches("[data-act]")) return;
    event.preventDefault();
    if (!page.isActing && !page.isOffline) void act(page, form, event.submitter as HTMLButtonElement);
  });
}

/** Sends a form without leaving the page, unless its result is on another. */
async function act(page: Page, form: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
  page.isActing = true;
  const slow = setInterval(() => void showProgress(page, button), SLOW_MS);
  try {
    const body = new URLSearchParams(new FormData(form, button) as unknown as Record<string, string>);
    const response = await page.fetchPart(form.action, { method: "POST", body });
    const to = response.headers.get("sandbox-location");
    const target = to === null ? null : new URL(to, response.url);
    if (target === null) {
      if (await page.take(response)) page.show(true);
    } else if (target.pathname === location.pathname) {
      closeMenu();
      if (form.id !== "act") form.reset();
      await page.refresh(true);
    } else location.assign(target);
  } finally {
    clearInterval(slow);
    page.isActing = false;
  }
}

/** Says what is under way, and how far an advance is. */
async function showProgress(page: Page, button: HTMLButtonElement): Promise<void> {
  const notice = document.createElement("p");
  notice.className = "notice";
  const clock = await fetch(page.clockUrl, { headers: { "sandbox-namespace": page.namespace } });
  const { progress } = (await clock.json()) as { progress?: { done: number; due: number } };
  const far = progress === undefined ? "" : ` ${progress.done} of ${progress.due} done`;
  notice.textContent = `${button.firstChild?.textContent ?? "Working"}…${far}`;
  if (page.isActing) showNotice(notice);
}

function closeMenu(target?: Element): void {
  const menu = find(".menu-of[open]") as HTMLDetailsElement | null;
  if (menu === null || (target !== undefined && menu.contains(target))) return;
  const focused = document.activeElement as HTMLElement;
  const hadFocus = menu.contains(focused) || focused.tabIndex < 0;
  menu.open = false;
  if (hadFocus) find("summary", menu)!.focus({ preventScroll: true });
}

function listenToClicks(page: Page): void {
  let pressed = "";
  document.addEventListener("click", (event) => {
    const target = event.target as Element;
    closeMenu(target);
    const button = target.closest<HTMLButtonElement>("button");
    // After a first click has changed the page, the second of a double click may meet another button.
    if (button?.name === "do" && event.detail > 1 && button.value !== pressed) event.preventDefault();
    else if (button?.name === "do") pressed = button.value;
    if (button?.matches("[data-more]")) page.show(true);
    if (button?.matches("[data-help]")) (find("#help") as HTMLDialogElement).showModal();
    const isControl = target.closest("a, button, summary, input, label") !== null;
    if (!isControl && getSelection()?.isCollapsed !== false)
      target.closest(".row")?.querySelector<HTMLElement>("[data-row]")?.click();
  });
}

/** Keys move and open; none changes anything. */
function listenToKeys(): void {
  const search = () => (find("#q") as HTMLInputElement).select();
  const move = (by: 1 | -1) => {
    const rows = findAll("[data-row]");
    const current = document.activeElement?.closest(".row")?.querySelector<HTMLElement>("[data-row]");
    const first = find(":target [data-row], [data-first] [data-row]") ?? rows[0];
    const at = current ? rows.indexOf(current) + by : rows.indexOf(first!);
    rows[Math.max(0, Math.min(at, rows.length - 1))]?.focus();
  };
  const keys: Readonly<Record<string, () => void>> = {
    "/": search,
    j: () => move(1),
    k: () => move(-1),
    "?": () => (find("#help") as HTMLDialogElement).showModal(),
  };
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (key === "Escape" && find("dialog[open]") === null) closeMenu();
    const isAction = target instanceof HTMLButtonElement && target.name === "do";
    if (key === "Enter" && event.repeat && isAction) return event.preventDefault();
    const isSearch = key === "k" && (event.metaKey || event.ctrlKey);
    const isTyping =
      (target as Element).matches?.("input, textarea, select") || find("dialog[open]") !== null;
    if (!isSearch && (event.metaKey || event.ctrlKey || event.altKey || isTyping)) return;
    const does = isSearch ? search : keys[key];
    if (does === undefined) return;
    event.preventDefault();
    does();
  });
}

/** Scrolls strips to their current item. */
function revealCurrent(): void {
  for (const tab of findAll(".menu [aria-current]")) {
    const strip = tab.closest("ul")!;
    strip.scrollLeft = tab.offsetLeft + (tab.offsetWidth - strip.clientWidth) / 2;
  }
  // The heading of an object gets the focus, so that few tabs lead to its buttons.
  const heading = find(".object h1");
  if (heading === null || location.hash !== "") return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
