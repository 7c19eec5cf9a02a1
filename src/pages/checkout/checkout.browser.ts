/**
 * The checkout's only script; everything works without it. It runs the countdowns at the speed of sandbox time, polls
 * the status, updates the total, and copies values.
 */
import "../copy.browser.js";
import { remainingTimeText, SOON_MS } from "../time-left.js";

const TICK_MS = 250;
const POLL_MS = 1_000;
/** A submitted form has this long to lead away before it can be submitted again. */
const LEAVING_MS = 5_000;
const LOST_AFTER_POLLS = 3;

interface Status {
  readonly status?: string;
  readonly returns?: number;
  readonly speed?: number;
}

addEventListener("DOMContentLoaded", () => {
  const find = (query: string) => document.querySelector<HTMLElement>(query);
  const said = document.getElementById("said")!;
  const { page, statusUrl, stay = "", returns: returned, now: loaded } = document.body.dataset;
  let speed = Number(document.body.dataset.speed);
  let sandboxNow = Number(loaded);
  let since = performance.now();
  let isPolling = false;
  let missed = 0;
  let leftAt = Number.NEGATIVE_INFINITY;
  const isLeaving = () => performance.now() - leftAt < LEAVING_MS;

  const tick = () => {
    for (const countdown of document.querySelectorAll<HTMLElement>("[data-until]")) {
      const elapsed = (performance.now() - since) * speed;
      const leftMs = Number(countdown.dataset.until) - sandboxNow - elapsed;
      const text = remainingTimeText(leftMs);
      if (countdown.textContent !== text) countdown.textContent = text;
      const line = countdown.closest(".left:not(.soon)");
      if (line === null || leftMs >= SOON_MS) continue;
      line.classList.add("soon");
      said.textContent = line.textContent;
    }
  };

  /** Replaces only what names the clock's mode: a reload would lose what the customer has typed. */
  const followClock = async () => {
    const text = await (await fetch(location.href)).text();
    const fresh = new DOMParser().parseFromString(text, "text/html");
    for (const part of [".sandbox h2", ".more p"]) {
      const [shown, current] = [find(part), fresh.querySelector(part)];
      if (shown !== null && current !== null) shown.innerHTML = current.innerHTML;
    }
    speed = Number(fresh.body.dataset.speed);
  };

  const readStatus = async () => {
    const response = await fetch(statusUrl!, { cache: "no-store" });
    if (missed >= LOST_AFTER_POLLS) said.textContent = "";
    missed = 0;
    const now = Date.parse(response.headers.get("sandbox-now") ?? "");
    if (now) {
      sandboxNow = now;
      since = performance.now();
    }
    const {
      status = "",
      returns = 0,
      speed: running = speed,
    }: Status = response.ok ? await response.json() : {};
    const stays = stay.split(" ").includes(status) && returns === Number(returned);
    if ((response.ok || response.status === 404) && !stays && !isLeaving()) {
      leftAt = performance.now();
      location.replace(page!);
    } else if (running !== speed) await followClock();
  };

  const poll = async () => {
    if (isPolling || isLeaving()) return;
    isPolling = true;
    try {
      await readStatus();
    } catch {
      if (++missed === LOST_AFTER_POLLS) said.textContent = "Connection to the sandbox lost, retrying…";
    } finally {
      isPolling = false;
      said.className = missed < LOST_AFTER_POLLS ? "unseen" : "lost";
    }
  };

  // A refused form leaves its own address, where a reload would send it again.
  if (page?.startsWith("../")) history.replaceState(null, "", "./");
  setInterval(tick, TICK_MS);
  if (page !== undefined) setInterval(poll, POLL_MS);

  const [total, fees] = [find("#total"), find("#total-fees")];
  const showPrice = () => {
    const method = find("[name=payment_method]:checked")?.closest(".method");
    const chosen = method?.querySelector(".offer input:checked");
    const shown = chosen?.closest(".offer")?.querySelector("strong");
    if (total === null || !chosen || !shown) return;
    chosen.closest("details")?.setAttribute("open", "");
    document.title = document.title.replace(/[^–]*$/, ` ${shown.textContent}`);
    if (total.innerHTML === shown.innerHTML) return;
    total.innerHTML = shown.innerHTML;
    fees!.innerHTML = chosen.closest(".offer")!.querySelector(".fees")!.innerHTML;
    said.textContent = `Total ${total.textContent}`;
  };
  // A browser restores the selection after a reload without a change event.
  for (const when of ["change", "pageshow"]) addEventListener(when, showPrice);

  // The sticky buttons may cover the details of the chosen method.
  addEventListener("change", ({ target }) =>
    (target as Element).closest(".pick")?.nextElementSibling?.scrollIntoView({ block: "nearest" }),
  );

  addEventListener("submit", (event) => {
    // A second submit would act on a charge that has already moved on.
    if (isLeaving()) event.preventDefault();
    else leftAt = performance.now();
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) leftAt = Number.NEGATIVE_INFINITY;
  });

  // The focus follows a payment's pages to their heading.
  const focused = find("[autofocus]") ?? document.getElementById(sessionStorage.getItem("focused") ?? "");
  focused?.focus();
  addEventListener("pagehide", () =>
    sessionStorage.setItem("focused", find(":focus-visible") === null ? "" : "state"),
  );
});
