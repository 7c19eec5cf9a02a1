/**
 * The checkout's only script; everything works without it. It runs the countdown at the speed of sandbox time, polls
 * the status, updates the total, and copies values.
 */
export const CHECKOUT_SCRIPT = `
document.documentElement.classList.add("js");
addEventListener("DOMContentLoaded", () => {
  const { page, statusUrl, stay, then, speed, expires, remaining } = document.body.dataset;
  const said = document.getElementById("said");
  const countdown = document.querySelector("[data-countdown]");
  let left = Number(remaining), since = performance.now();
  let polling = false, leftAt = -Infinity, copied;
  const leaving = () => performance.now() - leftAt < 5000;
  const twoDigits = (value) => String(value).padStart(2, "0");

  const tick = () => {
    const now = performance.now();
    if (countdown) {
      const seconds = Math.max(0, Math.ceil((left - (now - since) * Number(speed)) / 1000));
      const rest = twoDigits(Math.floor(seconds / 60) % 60) + ":" + twoDigits(seconds % 60);
      const text = seconds < 3600 ? rest : Math.floor(seconds / 3600) + ":" + rest;
      if (countdown.textContent !== text) countdown.textContent = text;
    }
    if (copied && now - copied.at > 2000) { copied.label.textContent = "Copy"; copied = undefined; }
  };

  const poll = async () => {
    if (polling || document.hidden || leaving()) return;
    polling = true;
    try {
      const response = await fetch(statusUrl, { cache: "no-store" });
      const now = Date.parse(response.headers.get("sandbox-now"));
      if (now) { left = Date.parse(expires) - now; since = performance.now(); }
      const { status, next } = response.ok ? await response.json() : {};
      if ((response.ok || response.status === 404) && !stay.split(" ").includes(status) && !leaving()) {
        leftAt = performance.now();
        location.replace(then === "shop" && next ? next : page);
      }
    } catch {} finally { polling = false; }
  };

  if (page) { setInterval(tick, 250); setInterval(poll, 1000); }

  const total = document.getElementById("total"), fees = document.getElementById("total-fees");
  const price = () => {
    const chosen = document.querySelector("[name=payment_method]:checked")?.closest(".method").querySelector(".offer input:checked");
    if (!total || !chosen || total.textContent === chosen.dataset.total) return;
    total.textContent = chosen.dataset.total;
    fees.textContent = chosen.dataset.fees;
    said.textContent = "Total " + chosen.dataset.total;
  };
  // A browser restores the selection after a reload without a change event.
  for (const when of ["change", "pageshow"]) addEventListener(when, price);

  addEventListener("submit", (event) => {
    // A second submit would act on a charge that has already moved on.
    if (leaving()) event.preventDefault();
    else leftAt = performance.now();
  });
  addEventListener("pageshow", (event) => { if (event.persisted) leftAt = -Infinity; });

  addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    try { await navigator.clipboard.writeText(button.dataset.copy); } catch {
      // The clipboard API fails on insecure origins: select and copy the value instead.
      const value = document.getElementById(button.getAttribute("aria-describedby"));
      getSelection().selectAllChildren(value);
      if (!document.execCommand("copy")) return;
    }
    if (copied) copied.label.textContent = "Copy";
    copied = { at: performance.now(), label: button.firstElementChild };
    copied.label.textContent = "Copied";
    said.textContent = "Copied";
  });
});
`;
