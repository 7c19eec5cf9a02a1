import { html, type Markup } from "../html.js";
import { BASE_STYLES, COPY_SCRIPT, PageShell } from "../page-shell.js";

/** Time left from which the page warns that the checkout expires. */
export const SOON_MS = 5 * 60 * 1000;

/**
 * The checkout's only script; everything works without it. It runs the countdowns at the speed of sandbox time, polls
 * the status, updates the total, and copies values.
 */
const CHECKOUT_SCRIPT = `${COPY_SCRIPT}
addEventListener("DOMContentLoaded", () => {
  const { page, statusUrl, stay, returns: returned, now: loaded } = document.body.dataset;
  const said = document.getElementById("said");
  let { speed } = document.body.dataset;
  let sandboxNow = Number(loaded), since = performance.now();
  let polling = false, missed = 0, leftAt = -Infinity;
  const leaving = () => performance.now() - leftAt < 5000;
  const twoDigits = (value) => String(value).padStart(2, "0");

  const tick = () => {
    for (const countdown of document.querySelectorAll("[data-until]")) {
      const left = countdown.dataset.until - sandboxNow - (performance.now() - since) * speed;
      const seconds = Math.max(0, Math.ceil(left / 1000));
      const rest = twoDigits(Math.floor(seconds / 60) % 60) + ":" + twoDigits(seconds % 60);
      const text = seconds < 3600 ? rest : Math.floor(seconds / 3600) + ":" + rest;
      if (countdown.textContent !== text) countdown.textContent = text;
      const line = countdown.closest(".left:not(.soon)");
      if (line && left < ${SOON_MS}) { line.classList.add("soon"); said.textContent = line.textContent; }
    }
  };

  const poll = async () => {
    if (polling || leaving()) return;
    polling = true;
    try {
      const response = await fetch(statusUrl, { cache: "no-store" });
      if (missed >= 3) said.textContent = "";
      missed = 0;
      const now = Date.parse(response.headers.get("sandbox-now"));
      if (now) { sandboxNow = now; since = performance.now(); }
      const { status, returns = 0, speed: running = speed } = response.ok ? await response.json() : {};
      const stays = stay.split(" ").includes(status) && returns === Number(returned);
      if ((response.ok || response.status === 404) && !stays && !leaving()) {
        leftAt = performance.now();
        location.replace(page);
      } else if (String(running) !== speed) {
        // Replaces only what names the clock's mode: a reload would lose what the customer has typed.
        const fresh = new DOMParser().parseFromString(await (await fetch(location)).text(), "text/html");
        for (const part of [".sandbox h2", ".more p"]) {
          const [shown, current] = [document, fresh].map((from) => from.querySelector(part));
          if (shown && current) shown.innerHTML = current.innerHTML;
        }
        speed = fresh.body.dataset.speed;
      }
    } catch {
      if (++missed === 3) said.textContent = "Connection to the sandbox lost, retrying…";
    } finally { polling = false; said.className = missed < 3 ? "unseen" : "lost"; }
  };

  // A refused form leaves its own address, where a reload would send it again.
  if (page?.startsWith("../")) history.replaceState(null, "", "./");

  setInterval(tick, 250);
  if (page) setInterval(poll, 1000);

  const total = document.getElementById("total"), fees = document.getElementById("total-fees");
  const price = () => {
    const chosen = document.querySelector("[name=payment_method]:checked")?.closest(".method").querySelector(".offer input:checked");
    const shown = chosen?.closest(".offer").querySelector("strong");
    if (!total || !shown) return;
    chosen.closest("details")?.setAttribute("open", "");
    document.title = document.title.replace(/[^–]*$/, " " + shown.textContent);
    if (total.innerHTML === shown.innerHTML) return;
    total.innerHTML = shown.innerHTML;
    fees.innerHTML = chosen.closest(".offer").querySelector(".fees").innerHTML;
    said.textContent = "Total " + total.textContent;
  };
  // A browser restores the selection after a reload without a change event.
  for (const when of ["change", "pageshow"]) addEventListener(when, price);

  // The sticky buttons may cover the details of the chosen method.
  addEventListener("change", ({ target }) => target.closest(".pick")?.nextElementSibling.scrollIntoView({ block: "nearest" }));

  addEventListener("submit", (event) => {
    // A second submit would act on a charge that has already moved on.
    if (leaving()) event.preventDefault();
    else leftAt = performance.now();
  });
  addEventListener("pageshow", (event) => { if (event.persisted) leftAt = -Infinity; });

  // The focus follows a payment's pages to their heading.
  const focused = document.querySelector("[autofocus]") ?? document.getElementById(sessionStorage.focused);
  focused?.focus();
  addEventListener("pagehide", () => {
    sessionStorage.focused = document.querySelector(":focus-visible") ? "state" : "";
  });
});
`;

/**
 * The checkout's style sheet. Elements that a script reveals reserve their space, so nothing moves.
 */
const CHECKOUT_STYLES = `
${BASE_STYLES}
html{-webkit-text-size-adjust:100%;scroll-padding:2rem 0 6rem}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
main{flex:1 0 auto;width:100%;max-width:80rem;margin:0 auto;padding:1rem;display:grid;gap:1.25rem;align-content:start}
h1,h2,p,dl,dd,fieldset{margin:0;padding:0}h1,h2,legend{font-size:1.125rem;font-weight:600;line-height:1.35}fieldset{border:0;min-width:0}
legend{padding:0;margin-bottom:.75rem}
a{color:var(--accent);text-underline-offset:.15em}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9375em}.soft{color:var(--soft)}
.small{font-size:.875rem}.amount{white-space:nowrap}.total,.lines,.offer,.facts,[data-until]{font-variant-numeric:tabular-nums}
.summary{display:grid;gap:.5rem;align-content:start}.summary:not(.ended){min-height:9.75rem}.total{font-size:1.25rem;font-weight:700;line-height:1.3}.total .amount{font-size:2rem;line-height:1.2;letter-spacing:-.01em}.total.soft,.total.soft .amount{font-size:1rem;font-weight:500}
.lines,.left{border-top:1px solid var(--line);padding-top:.75rem}.lines{display:grid;gap:.375rem;align-content:start;font-size:.875rem}.lines>div{display:flex;justify-content:space-between;gap:1rem}.lines dt{color:var(--soft);flex:none;max-width:50%}.lines dd{text-align:end}
.left{display:flex;justify-content:space-between;align-items:baseline;gap:1rem;margin-top:.25rem}.left span{color:var(--soft);font-size:.875rem}.left strong{font-size:1.25rem;min-width:8ch;text-align:end}.left.soon *{color:var(--bad)}.left:not(.soon) .hurry{display:none}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem;display:grid;gap:1rem;align-content:start;min-width:0}.alone{max-width:44rem;width:100%;margin:0 auto}
.notice{background:var(--bad-soft);color:var(--bad);border-radius:.5rem;padding:.75rem 1rem;font-weight:500}[tabindex="-1"]{outline:none}
.methods{display:grid;gap:.75rem;margin-bottom:.75rem}.method{border:1px solid var(--line);border-radius:.625rem}
.pick,.offer{display:grid;grid-template-columns:auto 1fr;gap:.125rem .75rem;cursor:pointer}.pick>input,.offer>input{grid-row:1/3}.pick{padding:.75rem;border-radius:.625rem}.pick strong,.offer strong{font-weight:600}
input[type=radio]{width:1.25rem;height:1.25rem;margin:.125rem 0 0;accent-color:var(--accent)}
.detail{display:grid;gap:.75rem;padding:0 .75rem .75rem}.detail legend{font-size:.9375rem;margin-bottom:.25rem}
.offer{padding:.5rem 0;border-top:1px solid var(--line);font-size:.9375rem}.offer>span{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 .5rem}
.offer strong{max-width:100%;margin-left:auto;text-align:end}.offer small{color:var(--soft);font-size:.875rem}.offer small>span{display:inline-block;max-width:100%;margin-inline-end:.75rem}
.detail summary{cursor:pointer;color:var(--accent);font-size:.9375rem;line-height:2.75rem;border-top:1px solid var(--line)}
@supports selector(:has(*)){.methods{gap:0;align-content:start}.method{display:contents}.pick{border:1px solid var(--line);margin-bottom:.5rem}.pick:has(>input:checked){border-color:var(--accent);box-shadow:0 0 0 1px var(--accent);background:var(--accent-soft)}.detail{align-content:start;padding:.25rem .25rem 0}.method:not(:has(>.pick>input:checked))>.detail{visibility:hidden}
@media (min-width:54rem){.detail{grid-area:99/1}}
@media (max-width:53.99rem){.methods{min-height:31.5rem}.pick{padding-block:.5rem}.detail legend{position:absolute;clip-path:inset(50%)}.pick .small,.method:not(:has(>.pick>input:checked))>.detail{display:none}.pick:has(>input:checked)+.detail{padding:.25rem .5rem 1rem}}}
.field{display:grid;gap:.25rem}.field label{font-weight:500}.field input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--edge);border-radius:.5rem;padding:.5rem .75rem;width:100%;min-height:2.75rem}.field input[aria-invalid=true]{scroll-margin-bottom:3.5rem;border-color:var(--bad);box-shadow:0 0 0 1px var(--bad)}.fault{color:var(--bad);font-size:.875rem;font-weight:500}
button,.button{font:inherit;font-weight:600;display:inline-flex;align-items:center;justify-content:center;min-height:2.75rem;padding:.25rem 1rem;border:1px solid transparent;border-radius:.5rem;cursor:pointer;text-decoration:none;text-align:center}.main{background:var(--accent);color:var(--on-accent)}.main:hover{filter:brightness(1.08)}.plain{background:none;color:var(--accent);border-color:var(--line)}.plain:hover{border-color:var(--accent)}
.actions{position:sticky;bottom:0;display:flex;flex-wrap:wrap;gap:.5rem .75rem;background:var(--card);border-top:1px solid var(--line);padding:.75rem 1rem;margin:0 -1rem -.75rem;border-radius:0 0 .7rem .7rem}.actions form{display:contents}.actions button,.actions .button{flex:1 0 auto}
dialog{background:var(--card);color:var(--text);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem;width:26rem;max-width:calc(100% - 2rem)}dialog:is([open],:popover-open){display:flex;flex-wrap:wrap;gap:1rem .75rem}dialog p{flex:1 0 100%}dialog strong{display:block;font-size:1.125rem}dialog::backdrop{background:#0008}
.facts{display:grid;gap:0 2rem}.facts>div{display:grid;grid-template-columns:1fr auto;gap:0 .75rem;align-items:center;align-content:center;padding:.5rem 0;border-top:1px solid var(--line)}.facts dt{color:var(--soft);font-size:.875rem;grid-column:1}.facts dd{grid-column:1;font-weight:500}.facts dd.tool{grid-column:2;grid-row:1/3}.facts>:last-child:nth-child(odd){grid-column:1/-1}.receipt>div{grid-template-columns:8rem 1fr}.receipt dd{grid-column:2}
.reference{background:var(--accent-soft);border-radius:.625rem;padding:.75rem 1rem;display:grid;grid-template-columns:1fr auto;gap:.25rem .75rem;align-items:center}.reference p{grid-column:1/-1}.reference strong{font:700 1.25rem/1.3 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.copy{min-width:5.5rem;min-height:2.5rem;background:var(--card);color:var(--accent);border-color:var(--edge);font-size:.875rem}
.state{display:grid;grid-template-columns:auto 1fr;gap:0 1rem;align-items:center}.state>*{grid-column:2}.state>:first-child{grid-area:1/1/3;width:3.5rem;height:3.5rem;border-radius:50%}.state>:nth-child(2){font-size:1.375rem}.spinner{border:5px solid var(--line);border-top-color:var(--accent);animation:turn 1s linear infinite}@keyframes turn{to{transform:rotate(1turn)}}@media (prefers-reduced-motion:reduce){.spinner{animation:none}}
.mark{display:grid;place-items:center;background:var(--line);color:var(--text)}.mark svg{width:1.75rem;height:1.75rem;fill:none;stroke:currentColor;stroke-width:2.5;stroke-linecap:round;stroke-linejoin:round}.mark.good{background:var(--good-soft);color:var(--good)}.mark.bad{background:var(--bad-soft);color:var(--bad)}
.js .plainly,html:not(.js) .scripted{display:none}
.cardform{display:grid;grid-template-columns:1fr 1fr;gap:.75rem;border:1px solid var(--line);border-radius:.625rem;padding:.75rem}.cardform legend{font-size:1rem;margin:0;padding:0 .25rem}.cardform>.field:nth-of-type(1){grid-column:1/-1}.cardform .field input{background:var(--code);border-color:transparent;color:var(--soft);cursor:not-allowed}
.lost{position:fixed;font-size:.875rem;z-index:3;top:.75rem;left:1rem;right:1rem;width:fit-content;margin:0 auto;background:var(--bad-soft);color:var(--bad);border:1px solid;border-radius:.5rem;padding:.5rem 1rem;font-weight:500}
.change{padding-bottom:.75rem}.note{display:flex;align-items:center;justify-content:space-between;gap:.75rem;border-inline-start:.375rem solid var(--stripe);padding-inline-start:.75rem}.note p{color:var(--sand-text)}.note form{flex:none}
.sandbox{color:var(--sand-text);background:var(--sand);font-size:.9375rem;order:-1;border-bottom:1px solid var(--sand-edge)}.sandbox::before{content:"";display:block;height:.375rem;background:repeating-linear-gradient(135deg,var(--stripe) 0 .75rem,#1b1b1b .75rem 1.5rem)}.sandbox>div{position:relative;display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;max-width:80rem;margin:0 auto;padding:.625rem 1rem}.sandbox h2{font-size:1rem;line-height:1.2;flex:none}.sandbox h2 .small{font-weight:400}.sandbox h2 .small:last-child{display:block}
.sandbox .outcomes{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;min-height:2.5rem}.sandbox details{margin-left:auto}.sandbox summary{cursor:pointer;font-weight:600;line-height:2.5rem}
.more{display:flex;flex-wrap:wrap;gap:.5rem .75rem;align-items:center}.more{position:absolute;z-index:1;top:100%;right:1rem;width:40rem;max-width:calc(100% - 2rem);background:var(--sand);border:1px solid var(--sand-edge);border-radius:.5rem;padding:.75rem 1rem;box-shadow:0 .5rem 1.5rem #0003}.more p{flex:1 1 100%}.reason input{font:inherit;color:var(--text);background:var(--card);border:1px solid var(--sand-edge);border-radius:.5rem;padding:.25rem .625rem;min-height:2.5rem;width:6.5rem}.reason::before{content:"as "}.reason ::placeholder{color:var(--soft);opacity:1}
.sandbox a{color:inherit}.outcomes:has(a){flex:1}.outcomes:has(a)>span{flex:1 1 12rem;line-height:1.3}.sandbox button,.note button{flex:none;background:var(--card);color:var(--text);border-color:var(--sand-edge);font-size:.875rem;padding:.25rem .625rem;min-height:2.5rem}.sandbox button:hover{border-style:dashed}.sandbox :focus-visible{outline-color:var(--sand-edge)}
@media (max-width:79.99rem){.sandbox button{padding-inline:.5rem}}
@media (max-width:53.99rem){.sandbox h2{flex:1}.sandbox>div{padding:.375rem 1rem;column-gap:.75rem}.sandbox .outcomes{order:1;flex:1 0 100%;gap:.25rem}.outcomes:has(a)>span{font-size:.875rem}}
@media (max-width:33.99rem){.sandbox>div{column-gap:.5rem}.card{gap:.75rem}.facts>div{padding:.25rem 0}.reference{padding:.5rem .75rem}.reference p{font-size:.875rem}.sandbox h2{line-height:1}.sandbox h2 .small{display:block;font-size:.6875rem}.sandbox h2 .small+.small{display:none}
.sandbox button .small{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.sandbox button{font-size:.8125rem;padding-inline:.3125rem}.note{font-size:.8125rem;line-height:1.35}
.reason{position:absolute;z-index:2;top:calc(100% + .5rem);left:2rem}.reason::before{content:"Reason if it fails "}.sandbox:not(:has([open])) .reason{display:none}.sandbox:has(.reason) .more{padding-top:3.5rem}}
@media (max-height:31.2rem){.actions{position:static}}
@media (forced-colors:active){.sandbox{border-top:2px dashed}}
@media (min-width:54rem){.brief{display:none}html{overflow-y:scroll}main{padding:1.75rem 1rem}.summary:not(.ended){min-height:0}.reference strong{font-size:1.5rem;letter-spacing:.04em}
.two{grid:auto 1fr/20rem minmax(0,1fr);gap:.75rem 2.5rem}.two .card{grid-area:1/2/3;align-self:start}.two .lines{grid-area:2/1}
.pick,.offer{align-items:center}.pick{grid-template-columns:auto auto 1fr}.offer{grid-template-columns:auto 9.5rem minmax(0,1fr) fit-content(50%);padding:.375rem 0}.pick>input,.offer>input{grid-row:1;margin:0}.offer>span{display:contents}.offer>small{grid-area:1/3}.offer small>span{display:block}.offer strong{grid-area:1/4}
.card{padding:1.25rem 1.5rem}.actions{padding-inline:1.5rem;margin-inline:-1.5rem}.plain[popovertarget]{flex:none}.facts:not(.receipt){grid-template-columns:repeat(auto-fit,minmax(20rem,1fr))}}
@media (min-width:80rem){.reason input{width:12rem}.offer small>span{display:inline-block;min-width:9rem}.two{grid-template-columns:24rem minmax(0,1fr);column-gap:3rem}}
`;

export interface PageDocument {
  readonly title: string;
  /** HTTP status. */
  readonly status: number;
  readonly main: Markup;
  readonly panel?: Markup;
  /** Body attributes that configure the script's polling. */
  readonly polling?: Markup;
  /** URL that a browser without script reloads every two seconds. */
  readonly refresh?: string;
}

/** The URL alone authorizes paying and cancelling, so no referrer leaves this origin. */
const SHELL = new PageShell({
  styles: CHECKOUT_STYLES,
  script: CHECKOUT_SCRIPT,
  connects: true,
  referrer: "same-origin",
});

/**
 * @param leadsAway true if a form may redirect to the shop. The response then has no form-action policy: browsers also
 * apply form-action to redirects, so a policy with the shop's URL would block redirects that the shop makes.
 */
export function pageResponse(
  { title, main, panel, status, polling, refresh }: PageDocument,
  { nowMs, leadsAway = false }: { nowMs: number; leadsAway?: boolean },
): Response {
  const page = {
    title,
    // The `expect` link blocks rendering until the page is complete, so nothing shifts.
    head: html`<meta name="robots" content="noindex">
<link rel="expect" href="#said" blocking="render">
${refresh !== undefined && html`<noscript><meta http-equiv="refresh" content="2; url=${refresh}"></noscript>`}`,
    bodyAttributes: polling,
    body: html`${main}
${panel}
<p class="unseen" role="status" id="said"></p>`,
  };
  return SHELL.respond(page, { status, nowMs, forms: leadsAway ? undefined : "'self'" });
}

/** Redirects with 303, so the browser continues with a GET. */
export function redirectWithGet(location: string, nowMs: number): Response {
  return new Response(null, { status: 303, headers: { location, ...SHELL.headers(nowMs) } });
}

export function statusResponse(checkoutStatus: object, nowMs: number): Response {
  return new Response(JSON.stringify(checkoutStatus), {
    headers: { "content-type": "application/json; charset=utf-8", ...SHELL.headers(nowMs) },
  });
}
