import { decodeEntities } from "../../../core/reports/body-summary.js";
import { isFailing, receiverName, stateText } from "../../../core/reports/delivery-text.js";
import type { DeliveryView, ReceiverHealth } from "../../../core/schema/control-log-responses.js";
import { ALL_EVENT_TYPES } from "../../../core/schema/event-types.js";
import { groupDigits } from "../../format.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { filteredList, type Listing } from "../lists.js";
import { objectUrl, type PageContext, viewUrl } from "../page-context.js";
import {
  deliveryOutcome,
  deliveryRow,
  type Endpoint,
  LONGEST_PAGE,
  nameOf,
  nextStepText,
  objectIdOf,
  receiversOf,
} from "../rows.js";
import { cliCommand, controlCurl, curlCommand } from "../shell-commands.js";
import { orUndefined, type View } from "../view.js";

export const WEBHOOKS: View = {
  name: "webhooks",
  title: "Webhooks",
  listId: "deliveries",
  searches: "order, e-mail, id",
  list: webhooksView,
  listing,
  record: ["delivery", deliveryPage],
  count: async ({ ask, mode }) => {
    const { total } = await ask("listDeliveries", { mode, state: "not_accepted", limit: 1 });
    return [total, "failing", "bad", { status: NOT_ACCEPTED }];
  },
};

/** Failing or given up, at a receiver that is on. */
const NOT_ACCEPTED = "not accepted";

/** Receivers and deliveries. */
async function webhooksView(context: PageContext): Promise<Markup> {
  return html`<h1>Webhooks</h1>
${await receiversSection(context)}
${await filteredList(context, await listing(context))}`;
}

async function listing(context: PageContext): Promise<Listing<"deliveries">> {
  const receivers = await receiversOf(context);
  const asked = context.query.get("type")?.trim() ?? "";
  const types = ["charge.*", "withdrawal.*", ...ALL_EVENT_TYPES, ...(asked === "" ? [] : [asked])];
  return {
    name: "deliveries",
    choices: {
      status: [NOT_ACCEPTED, "failing", "given up", "held", "queued", "off", "delivered", "dropped"],
      type: [...new Set(types)],
      receiver: [...receivers].map(([id, endpoint]) => [id, receiverName(endpoint)] as const),
    },
    get: (delivery_id) => context.ask("getDelivery", { delivery_id }),
    idOf: ({ delivery_id }) => delivery_id,
    headings: ["Created", "Status", "", "Event → receiver", "About", "Id"],
    title: (total) => `Deliveries: ${total}`,
    row: (delivery) => deliveryRow(context, delivery, receivers.get(delivery.webhook_id)),
    none:
      receivers.size === 0
        ? "None: add a receiver above."
        : "None: no event yet, or none of the types that a receiver takes.",
  };
}

/** Receivers, compared by their health; one can be edited at a time. */
async function receiversSection(context: PageContext): Promise<Markup> {
  const { query, mode, submitted } = context;
  const receivers = [...(await receiversOf(context)).values()].filter(
    (endpoint) => mode === undefined || endpoint.mode === mode,
  );
  const edited = receivers.find(({ webhook_id }) => webhook_id === query.get("edit")?.trim());
  const rows = receivers.map(async (endpoint) => {
    const { total } = await context.ask("listDeliveries", { webhook_id: endpoint.webhook_id, limit: 1 });
    return receiverRow(context, endpoint, total);
  });
  const add = ui.submitButton({ does: ["createWebhookEndpoint"], label: "Add receiver", kind: "main" });
  const isOpen = submitted !== undefined || receivers.length === 0;
  const hidden = mode === "live" && html`<input type="hidden" name="mode" value="live">`;
  const table = ui.table(
    "Receivers",
    ["Receiver", "Health", "Last error"],
    ["Accepted", "p50", "p95", "Deliveries", "Change"],
    await Promise.all(rows),
  );
  const none = html`<p class="none">None yet: add the address your app takes webhooks at.</p>`;
  return ui.section({
    id: "receivers",
    title: "Receivers",
    body: html`${receivers.length === 0 ? none : table}
${edited?.url && html`<div id="edit">${editForm(context, edited, edited.url)}</div>`}
<details${isOpen && html` open`}><summary>Add a receiver…</summary>${ui.actionForm(
      context,
      [hidden, receiverFields("URL", "", "*"), add],
      "Add a receiver",
    )}</details>`,
  });
}

function receiverFields(label: string, url: string, events: string): Markup[] {
  return [
    ui.input({ name: "url", label, value: url, hint: "http://localhost:3000/webhooks", required: true }),
    ui.input({ name: "events", label: "Events (* for all)", value: events }),
  ];
}

function editForm(context: PageContext, { webhook_id, events }: Endpoint, url: string): Markup {
  return ui.actionForm(
    context,
    html`${receiverFields("URL", url, events.join(", "))}
${ui.submitButton({ does: ["updateWebhookEndpoint", { webhook_id }], label: "Save", kind: "main" })}<a class="button"
href="${viewUrl(context, "webhooks")}">Done</a>
${ui.copyButton("Copy as curl", controlCurl(context, "updateWebhookEndpoint", { webhook_id, url, events }))}`,
    "Edit the receiver",
  );
}

function receiverRow(context: PageContext, endpoint: Endpoint, total: number) {
  const { webhook_id, url, mode, signature, enabled, health, events } = endpoint;
  const { state, open_failures, last_error, delivered_share, recent, p50_ms, p95_ms } = health;
  const [word, tone] = HEALTH_WORDS[state];
  const count = state === "failing" ? `${groupDigits(String(open_failures))} ` : "";
  const name = receiverName(endpoint);
  const scheme = signature === "standard" ? "Standard Webhooks" : signature;
  const about = [
    events.join(", ").replace(/^\*$/, "all events"),
    `${typeof scheme === "string" ? scheme : "custom"} signature`,
  ];
  const listUrl = (status?: string) =>
    `${viewUrl(context, "webhooks", undefined, { receiver: webhook_id, status })}#deliveries`;
  const status = { failing: NOT_ACCEPTED, held: "held", ok: undefined, off: undefined }[state];
  const badge = ui.badge(`${count}${word}`, tone);
  const onOff = ui.button({
    does: ["updateWebhookEndpoint", { webhook_id, enabled: String(!enabled) }],
    label: enabled ? "Turn off" : "Turn on",
    to: name,
  });
  const edit = `${viewUrl(context, "webhooks", undefined, { edit: webhook_id })}#edit`;
  const ms = (value: number | null) => value !== null && `${Math.round(value)} ms`;
  return {
    key: webhook_id,
    cells: [
      html`${ui.breakable(name)} ${ui.liveModeTag(mode)}<br><small>${ui.joinWithDots(about)}</small>`,
      status === undefined ? badge : html`<a href="${listUrl(status)}">${badge}</a>`,
      tone === "bad" && html`<span class="bad">${last_error}</span>`,
      delivered_share !== null && `${Math.floor(delivered_share * 100)} % of ${recent}`,
      ms(p50_ms),
      ms(p95_ms),
      html`<a href="${listUrl()}">${groupDigits(String(total))}<span class="unseen"> deliveries</span></a>`,
      html`<span class="acts">${onOff}
${url !== null && html`<a class="button" href="${edit}">Edit<span class="unseen"> ${name}</span></a>`}</span>`,
    ],
  };
}

const HEALTH_WORDS: Readonly<Record<ReceiverHealth["state"], readonly [word: string, tone: ui.Tone]>> = {
  ok: ["ok", "good"],
  failing: ["failing", "bad"],
  held: ["held", "warn"],
  off: ["off", ""],
};

/** A delivery: attempts, body, and changes since the previous event. */
async function deliveryPage(context: PageContext, delivery_id: string): Promise<Markup> {
  const { ask, nowMs } = context;
  const delivery = await ask("getDelivery", { delivery_id });
  const { event_id, type, mode, body, attempts, next_attempt_at: next } = delivery;
  const receivers = await receiversOf(context);
  const endpoint = receivers.get(delivery.webhook_id);
  const copies = (await ask("listDeliveries", { event_id, limit: LONGEST_PAGE })).items;
  const [newest, ...older] = [...attempts].reverse();
  const id = objectIdOf(delivery);
  const url = objectUrl(context, id);
  const charge_id = delivery.charge_id;
  const charge = charge_id === undefined ? undefined : await orUndefined(ask("getCharge", { charge_id }));
  const about = [nameOf(delivery.data) ?? ui.shortIdText(id ?? ""), charge?.customer_email];
  const retry = ui.button({
    does: ["retryDelivery", { delivery_id }],
    label: "Retry",
    kind: "main",
    hint: "The next attempt of this delivery, now",
  });
  return html`${ui.backLink(context, "Webhooks")}
<div class="object" data-part id="delivery"><h1>${type} ${ui.badge(
    stateText(delivery.state),
  )} ${ui.liveModeTag(mode)}</h1>
<p class="big">→ ${receiverName(endpoint)}${
    url !== undefined && html` · about <a href="${url}">${ui.joinWithDots(about)}</a>`
  }</p>
<p class="why"><strong>Why:</strong> ${ui.joinWithDots([
    ...deliveryOutcome(context, delivery, endpoint),
    nextStepText(delivery, endpoint),
  ])}</p>
<div class="actions">${isFailing(delivery) && retry}
${
  next !== null &&
  endpoint?.enabled &&
  Date.parse(next) > nowMs &&
  ui.button({ does: ["advanceClock", { to: next }], label: "Run time to the next try" })
}
${ui.button({ does: ["redeliver", { delivery_id }], label: "Redeliver", hint: "A new delivery of the same event" })}
${ui.menu("Copy", deliveryCopies(context, delivery, endpoint))}${ui.copyableId(delivery_id)}</div></div>
${ui.section({
  id: "attempts",
  title: `Attempts: ${attempts.length}`,
  body:
    newest === undefined
      ? html`<p class="soft">None yet.</p>`
      : html`<ol class="attempts">${attemptItem(context, newest)}</ol>${
          older.length > 0 &&
          html`<details><summary>${ui.formatCount(older.length, "earlier attempt")}</summary><ol
class="attempts">${older.map((attempt) => attemptItem(context, attempt))}</ol></details>`
        }`,
})}
${await diffSection(context, delivery)}
${
  body !== null &&
  ui.section({
    id: "body",
    title: "Body",
    body: html`<pre tabindex="0"
aria-label="Body">${ui.formatJson(body)}</pre>`,
  })
}
${
  copies.length > 1 &&
  ui.section({
    id: "all",
    title: `Deliveries of this event: ${copies.length}`,
    body: ui.rowList(
      "Deliveries of this event",
      copies.map((copy) => deliveryRow(context, copy, receivers.get(copy.webhook_id), { hasButton: false })),
      "",
    ),
  })
}`;
}

function deliveryCopies(context: PageContext, delivery: DeliveryView, endpoint: Endpoint | undefined) {
  const { delivery_id, body, attempts, type, charge_id } = delivery;
  const headers = attempts.at(-1)?.request_headers ?? { "content-type": "application/json" };
  return [
    body !== null &&
      endpoint?.url != null &&
      ui.snippet("curl: this very request", curlCommand(endpoint.url, headers, body)),
    ui.snippet("curl: redeliver", controlCurl(context, "redeliver", { delivery_id, times: 1 })),
    ui.snippet("Command line", cliCommand(context, `webhook redeliver ${delivery_id}`)),
    ui.snippet(
      "curl: the same type, with your own data",
      controlCurl(context, "createEvent", { type, charge_id, data: {} }),
    ),
  ];
}

function attemptItem(context: PageContext, attempt: DeliveryView["attempts"][number]): Markup {
  const sent = attempt.response_body ?? attempt.error ?? "";
  const response = /^\s*</.test(sent) ? decodeEntities(sent) : ui.formatJson(sent);
  const status = ui.badge(String(attempt.status ?? "no response"), ui.httpTone(attempt.status));
  const times = html`${ui.timeTag(context, attempt.at)} sandbox time, ${attempt.sent_at.slice(
    11,
    19,
  )} wall time · ${Math.round(attempt.duration_ms)} ms`;
  const number = attempt.attempt;
  return html`<li id="attempt-${number}" data-key="attempt-${number}"><p>${status} attempt ${number} at ${times}</p>
${response !== "" && html`<pre tabindex="0" aria-label="Response of attempt ${number}">${response}</pre>`}
<details><summary>Request headers, with the signature</summary>${ui.factList(
    Object.entries(attempt.request_headers).map(([name, value]): [string, Markup] => [
      name,
      html`<code>${value}</code>`,
    ]),
  )}</details></li>`;
}

/** Changes since the object's previous event; nothing for its first event. */
async function diffSection(context: PageContext, delivery: DeliveryView): Promise<Markup | false> {
  const charge_id = objectIdOf(delivery);
  if (charge_id === undefined || delivery.body === null) return false;
  const events = (await context.ask("listEvents", { charge_id })).items;
  const previous = events[events.findIndex(({ event_id }) => event_id === delivery.event_id) + 1];
  if (previous === undefined) return false;
  const changes = fieldChanges(previous.payload, JSON.parse(delivery.body));
  return ui.section({
    id: "diff",
    title: `Changes since ${previous.type}`,
    body: html`<p class="soft">The event before, at ${ui.timeTag(context, previous.at)}.</p><dl
class="diff">${changes}</dl>`,
  });
}

/** Fields that change with every event come last. */
const ALWAYS_CHANGED = /^(id|timestamp)$|\bupdated_at$/;

/** The fields of two JSON values that differ. */
function fieldChanges(from: unknown, to: unknown): Markup[] {
  const [before, after] = [flatten(from), flatten(to)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .sort((a, b) => Number(ALWAYS_CHANGED.test(a)) - Number(ALWAYS_CHANGED.test(b)))
    .map((path) => {
      const [old, now] = [before.get(path), after.get(path)];
      return html`<div><dt><code>${path}</code></dt>
<dd>${old !== undefined && html`<del>${old}</del>`} ${now !== undefined && html`<ins>${now}</ins>`}</dd></div>`;
    });
}

/** JSON of every value, by the value's path. */
function flatten(value: unknown, path = "", into = new Map<string, string>()): Map<string, string> {
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0)
    for (const [name, inner] of Object.entries(value))
      flatten(inner, path === "" ? name : `${path}.${name}`, into);
  else into.set(path, JSON.stringify(value));
  return into;
}
