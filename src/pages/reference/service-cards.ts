import { CHARGE_STATUS_TABLE } from "../../core/schema/statuses.js";
import type { Result } from "../../server/http/page-host.js";
import { html, type Markup } from "../html.js";
import { renderMarkdown } from "../markdown.js";
import { code } from "./schema-markup.js";

/** A card of the page that describes no single operation; it comes before the operations of its tag. */
export interface ReferenceCard {
  readonly id: string;
  readonly tag: string;
  readonly title: string;
  readonly body: Markup;
}

type SnippetOf = (title: string, text: string) => Markup;

export const FIRST_STEPS = html`<p>Returns the newest charge: <code>COMPLETED</code> once it is
paid.</p><ul><li>Your own form, as above: <a href="#createQuote">create a quote</a>, then <a
href="#createWhitelabel">a whitelabel checkout</a></li>
<li>Hosted page: <a href="#createCheckout">create a standard checkout</a>, then send the customer to its
<code>checkout_url</code></li>
<li>Learn the outcome: receive <a href="#tag-Events">events</a>, or <a
href="#getCharge">get the charge</a> until it has <a href="#schema-ChargeStatus">ended</a></li>
<li>Make it fail: <a href="#outcomes">choose the outcome</a></li></ul>`;

/** The statuses in which a charge ends, and those that may still follow. */
export const CHARGE_ENDS = html`<h4>Ends of a charge</h4><table>${Object.entries(CHARGE_STATUS_TABLE)
  .filter(([, { stage }]) => stage !== "open" && stage !== "processing")
  .map(
    ([status, { next }]) =>
      html`<tr><th scope="row">${code(status)}</th><td>${
        next.length === 0 ? "final" : `may still become ${next.join(" or ")}`
      }</td></tr>`,
  )}</table>`;

/** Fields of charges by another name in requests. */
const FIELDS: Readonly<Record<string, string>> = { base_amount: "pricing.amount" };

/** Where a new charge stands, and on a manual clock the call `advance` that moves it on. */
export function progressPart(isManual: boolean, advance: Markup): Markup {
  const next = isManual
    ? html`Time stands still here, so a charge stays <code>PENDING</code> until you <a
href="_sandbox/docs#advanceClock">advance the clock</a>.`
    : html`A charge is <code>PENDING</code> at first, and by default <code>COMPLETED</code> seconds later.`;
  return html`<p>${next} A hosted checkout first waits until the customer pays: open its page, or <a
href="_sandbox/docs#payCheckout">pay it by a call</a>.</p>${isManual && advance}`;
}

/** Values of the scenario `default`, then the other scenarios, each with the status a charge ends in. */
export function outcomeCard(scenarios: Result<"listScenarios">["items"], progress: Markup): ReferenceCard {
  const ofDefault = (name: string) => Number(name === "default");
  const inOrder = [...scenarios].sort((a, b) => ofDefault(b.name) - ofDefault(a.name));
  const rows = inOrder.flatMap(({ name, kind, charges = [] }) =>
    charges.flatMap(({ match, timeline }) => {
      const last = timeline.at(-1);
      const isShown = name === "default" ? match !== undefined : kind === "outcome" && match === undefined;
      if (last === undefined || !isShown) return [];
      const given = Object.entries(match ?? { "Sandbox-Scenario": name });
      const parts = given.map(([field, value]) => html`<div>${FIELDS[field] ?? field} ${code(value)}</div>`);
      const before = timeline.some((entry) => "after_expiry" in entry) && "EXPIRED, then ";
      const end = CHARGE_STATUS_TABLE[last.to].next.includes("EXPIRED") ? "EXPIRED" : last.to;
      return html`<tr><td>${parts}</td><td>${before}${end} ${last.reason && code(last.reason)}</td></tr>`;
    }),
  );
  const body = html`<p>To take a payment that fails, expires or hangs, create it with one of these values, where
<code>*</code> stands for any text, as in <code>declined@example.com</code>. Or name a scenario in the header
<code>Sandbox-Scenario</code>, or else in <code>metadata.sandbox_scenario</code>; an unknown name returns 400. <a
href="_sandbox/docs#listScenarios">All scenarios</a> include faults of the API and of webhooks.</p>
<table><tr><th>With</th><th>it ends in</th></tr>${rows}</table>${progress}`;
  return { id: "outcomes", tag: "Payments", title: "Choose the outcome", body };
}

const VERIFY = `import { createHmac, timingSafeEqual } from "node:crypto";

const secret = process.env.PAYMENTS_WEBHOOK_SECRET.replace("whsec_", "");

// Returns the event. \`body\` is raw, as it arrived.
function verify(headers, body) {
  const id = headers["webhook-id"], at = headers["webhook-timestamp"];
  if (!(Math.abs(Date.now() / 1000 - at) <= 300)) throw new Error("minutes off");
  const hmac = createHmac("sha256", Buffer.from(secret, "base64"));
  const digest = hmac.update(id + "." + at + ".").update(body).digest("base64");
  const isSame = (a, b) => a.length === b.length && timingSafeEqual(a, b);
  const given = (headers["webhook-signature"] ?? "").split(" ");
  if (!given.some((one) => isSame(Buffer.from(one), Buffer.from("v1," + digest))))
    throw new Error("wrong signature");
  return JSON.parse(body);
}`;

/** Duties of a receiver, which all events have in common. */
export function receiverCard(
  fill: (text: string) => string,
  headers: Markup | false,
  signatures: string,
  snippetOf: SnippetOf,
): ReferenceCard {
  const steps = fill("{{retry schedule}}");
  const body = html`<ol><li>Verify the signature over the raw bytes, and reject timestamps more than five minutes
off.</li>
<li>Store the event&#39;s <code>id</code>, and ignore one that is stored: each attempt repeats it.</li>
<li>Respond 2XX at once; do slow work later.</li></ol>
<p>To receive one now, <a href="_sandbox/docs#createEvent">trigger an event</a>. The key is the webhook secret at
the top of this page; for an endpoint you <a href="#createWebhook">register</a> it is the <code>secret</code> in
its response.</p>
${fill("{{signature scheme}}") === "standard" && snippetOf("Verify in Node", VERIFY)}
<h4>Your response</h4><dl class="fields"><div><dt>2XX</dt><dd><p>Received, if sent within ${fill(
    "{{webhook timeout}}",
  )} (<code>--webhook-timeout</code>). The body is ignored.</p></dd></div>
<div><dt>410</dt><dd>Not retried: the endpoint is disabled.</dd></div>
<div><dt>Any other, a redirect or a timeout</dt><dd><p>${
    steps === ""
      ? "Not retried."
      : html`Retried after ${steps} of sandbox time, each counted from the attempt before
(<code>retry_schedule</code>). A <code>Retry-After</code> with 429 or 503 is respected.`
  }</p></dd></div></dl>
<h4>Signatures</h4>${renderMarkdown(signatures)}${headers}`;
  return { id: "receive", tag: "Events", title: "Verify and respond", body };
}
