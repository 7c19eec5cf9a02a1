import { appEnvironment } from "../../../core/client/control-client.js";
import { effectText, matchText } from "../../../core/reports/rule-text.js";
import { shownStatus } from "../../../core/reports/shown-status.js";
import type { Attention } from "../../../core/schema/control-insight-responses.js";
import type { RequestView } from "../../../core/schema/control-log-responses.js";
import { groupDigits } from "../../format.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { type DueItem, dueItems, dueText } from "../due.js";
import { currentUrl, objectUrl, type PageContext, pageOffset, viewUrl } from "../page-context.js";
import {
  allScenarios,
  chargeRow,
  destinationsOf,
  hasFailed,
  LONGEST_PAGE,
  requestRow,
  withdrawalRow,
} from "../rows.js";
import { cliCommand, controlCurl } from "../shell-commands.js";
import type { View } from "../view.js";

const MAX_ROWS = 30;
const MAX_PAYOUTS = 10;
/** Calls read, before those that end alike are folded. */
const MAX_REQUESTS = 60;
const DUE_ROWS = 8;

export const ACTIVITY: View = {
  name: "activity",
  title: "Activity",
  listId: "attention",
  list: activityView,
  count: async ({ ask, mode }) => [
    (await ask("listAttention", { mode })).total,
    "that need attention",
    "bad",
  ],
};

/** The view of what is wrong, and of recent activity. */
async function activityView(context: PageContext): Promise<Markup> {
  const { ask, mode, sandbox } = context;
  const requests = await ask("listRequests", { mode, limit: MAX_REQUESTS });
  if (sandbox.counts.charges === 0 && requests.total === 0) return setupView(context);
  const attention = await ask("listAttention", { mode, limit: LONGEST_PAGE });
  return html`<h1 class="unseen">Activity</h1>
${ui.section({
  id: "attention",
  title: "Needs attention",
  body: html`${ui.rowList(
    "Needs attention",
    await Promise.all(attention.items.map((item) => attentionRow(context, item))),
    "Nothing is wrong.",
  )}${await inEffect(context)}${
    sandbox.counts.webhook_endpoints === 0 &&
    html`<p class="none">No receiver of webhooks yet: <a
href="${viewUrl(context, "webhooks")}">add one</a>.</p>`
  }`,
})}
${await dueSection(context)}
${ui.section({
  id: "activity",
  title: "Activity",
  tools: html`<a href="${viewUrl(context, "requests")}">All requests</a>`,
  body: ui.rowList(
    "Activity",
    await activityRows(context, requests.items),
    "Nothing yet: calls, charges and withdrawals of your app appear here.",
  ),
})}`;
}

const WORDS: Readonly<Record<Attention["kind"], readonly [word: string, tone: ui.Tone]>> = {
  receiver_failing: ["failing", "bad"],
  call_refused: ["refused", "bad"],
  receiver_held: ["held", "warn"],
  payment_stuck: ["stuck", "warn"],
};

/** Something that is wrong, as a row that leads to what it counts. */
async function attentionRow(context: PageContext, item: Attention): Promise<Markup> {
  const { kind, object, count, since: at, sentence, mend } = item;
  const [word, tone] = WORDS[kind];
  const [title = sentence, error] = sentence.split(/: (.*)/s);
  const label = count === 1 ? "Retry" : "Retry all";
  const retry = ui.button({ does: ["retryReceiver", { webhook_id: object }], label, to: sentence });
  return ui.listRow(context, {
    key: `${kind}-${object}`,
    at,
    tone,
    status: ui.badge(`${groupDigits(String(count))} ${word}`, tone),
    title,
    to: await attentionUrl(context, item),
    // A call's page says how to change it.
    subtitle: ui.joinWithDots([
      ui.reasonMarkup(error?.replace(/^[A-Z_]+: /, "")),
      kind !== "call_refused" && mend.sentence,
    ]),
    rowButtons: html`${mend.operation === "retryReceiver" && retry}${
      mend.command !== null && ui.copyButton("Copy command", mend.command)
    }`,
  });
}

/** The list of what an item counts, or the only one. */
async function attentionUrl(context: PageContext, item: Attention): Promise<string | undefined> {
  const { ask } = context;
  const { kind, object, count, since } = item;
  switch (kind) {
    case "call_refused": {
      if (count === 1) return viewUrl(context, "requests", object);
      const { operation, path, status, why } = await ask("getRequest", { request_id: object });
      const call = operation === null ? { path } : { operation };
      const which = { ...call, status: status === null ? "dropped" : String(status), why: why ?? "", since };
      return viewUrl(context, "requests", undefined, which);
    }
    case "payment_stuck": {
      if (count === 1) return objectUrl(context, object);
      const isPayout = object.startsWith("wd_");
      const { sandbox } = isPayout
        ? await ask("getControlWithdrawal", { withdrawal_id: object })
        : await ask("getCharge", { charge_id: object });
      const which = { stuck: "1", scenario: sandbox.scenario ?? "none" };
      return viewUrl(context, isPayout ? "money" : "charges", undefined, which);
    }
    default: {
      const status = kind === "receiver_held" ? "held" : "not accepted";
      return `${viewUrl(context, "webhooks", undefined, { receiver: object, status })}#deliveries`;
    }
  }
}

/** Scenarios and faults that apply to what comes. */
async function inEffect(context: PageContext): Promise<Markup | false> {
  const scenarios = await allScenarios(context);
  const faults = (await context.ask("listFaults", { limit: LONGEST_PAGE })).items;
  const rules = [
    ...scenarios
      .filter(({ active }) => active)
      .map(({ name }) => html`scenario <a href="${viewUrl(context, "scenarios", name)}">${name}</a>`),
    ...faults
      .filter(ui.canStillApply)
      .reverse()
      .map(
        (rule) =>
          html`<a href="${viewUrl(context, "faults")}">fault ${matchText(rule)} → ${effectText(rule)}</a>`,
      ),
  ];
  return rules.length > 0 && html`<p class="none">In effect: ${ui.joinWithDots(rules)}</p>`;
}

type TimedRow = readonly [at: string, row: Markup];

/** Charges, payouts, and the calls that no row of them tells of. */
async function activityRows(context: PageContext, requests: readonly RequestView[]): Promise<Markup[]> {
  const { ask, mode } = context;
  const charges = await ask("listCharges", { mode, limit: MAX_ROWS });
  const payouts = await ask("listControlWithdrawals", { mode, limit: MAX_PAYOUTS });
  const destinations = payouts.total === 0 ? undefined : await destinationsOf(context);
  const rows: TimedRow[] = [
    ...charges.items.map((charge): TimedRow => {
      const { at } = shownStatus(charge);
      return [at, chargeRow(context, charge, at)];
    }),
    ...payouts.items.map((payout): TimedRow => {
      const { at } = shownStatus(payout);
      return [at, withdrawalRow(context, payout, destinations?.get(payout.destination_id), at)];
    }),
    ...ui
      .groupConsecutive(requests.filter(isTold), outcomeKey)
      .slice(0, MAX_ROWS)
      .map(([newest, ...others]): TimedRow => [newest.at, requestRow(context, newest, others)]),
  ];
  return rows
    .sort(([a], [b]) => (a < b ? 1 : a > b ? -1 : 0))
    .slice(0, MAX_ROWS)
    .map(([, row]) => row);
}

/** Calls already visible in the charge's row. */
const CHARGE_OPERATIONS = new Set(["createQuote", "createWhitelabel", "createCheckout", "getCharge"]);

function isTold({ status, operation, tolerated }: RequestView): boolean {
  return (status ?? 500) >= 400 || !CHARGE_OPERATIONS.has(operation ?? "") || tolerated.length > 0;
}

function outcomeKey(request: RequestView): string {
  const { method, path, status, in_flight, fault, response_body } = request;
  return JSON.stringify([method, path, status, in_flight, fault, hasFailed(request) && response_body]);
}

/** Setup instructions for an empty namespace. */
function setupView(context: PageContext): Markup {
  const { sandbox, origin } = context;
  const { api_key: apiKey, webhook_secret: webhookSecret, counts } = sandbox;
  const env = Object.entries(appEnvironment({ url: origin, apiKey, webhookSecret }))
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
  return html`<h1>Three steps to your first payment</h1>
<ol class="steps">
<li data-part id="step-1"><h2>1. Point your app here</h2>${ui.snippet(".env", env)}</li>
<li data-part id="step-2"><h2>2. Make a charge</h2><p>Let your app pay for something, or ${ui.button({
    does: ["make"],
    label: "Make one for me",
    kind: "main",
  })}</p>${ui.snippet("On the command line", cliCommand(context, "charge create"))}</li>
<li data-part id="step-3"><h2>3. Receive its webhook ${
    counts.webhook_endpoints > 0 && ui.badge("done", "good")
  }</h2>${ui.actionForm(
    context,
    html`${ui.input({
      name: "url",
      label: "Your receiver's URL",
      hint: "http://localhost:3000/webhooks",
      required: true,
    })}${ui.submitButton({ does: ["createWebhookEndpoint"], label: "Save" })}`,
    "Add a receiver",
  )}
${ui.snippet("As curl", controlCurl(context, "createWebhookEndpoint", { url: "http://localhost:3000/webhooks" }))}</li>
</ol>`;
}

/** The tasks due next: beside Activity, or on a narrow screen the nearest above it. All of them are not grouped. */
async function dueSection(context: PageContext): Promise<Markup> {
  const isAll = context.query.get("due") === "all";
  const offset = isAll ? pageOffset(context) : 0;
  const first = await dueItems(context);
  const isRead = !isAll && (first.isWhole || new Set(first.items.map(dueKey)).size > DUE_ROWS);
  const { items, isWhole } = isRead ? first : await dueItems(context, { limit: LONGEST_PAGE, offset });
  const groups = new Map<string, DueItem[]>();
  for (const item of items) groups.set(dueKey(item), [...(groups.get(dueKey(item)) ?? []), item]);
  const shown = isAll ? items.map((item) => [item]) : [...groups.values()].slice(0, DUE_ROWS);
  const link = (label: string, from: number) =>
    html`<a href="${currentUrl(context, { due: "all", offset: String(from || "") })}#next">${label}</a>`;
  const none = html`<li data-key="none" class="none">Nothing is due.</li>`;
  const end = isWhole ? undefined : items.at(-1)?.at;
  const rows = shown.length === 0 ? none : shown.map((alike) => dueRow(context, alike, end));
  const body = html`<ul class="small${isAll && " all"}" data-list aria-label="Up next">${rows}</ul>${
    isAll &&
    html`<nav class="pager" aria-label="Pages of Up next">${
      offset > 0 && link("← Earlier", Math.max(0, offset - LONGEST_PAGE))
    }${!isWhole && link("Later →", offset + LONGEST_PAGE)}</nav>`
  }`;
  return ui.section({
    id: "next",
    title: "Up next",
    tools: !isAll && items.length > 1 && link("All", 0),
    body,
  });
}

/** Attempts of one type of event at one receiver that are due at the same time have one key. */
function dueKey(item: DueItem): string {
  return item.kind === "delivery"
    ? `${item.at} ${item.receiver} ${dueText(item)}`
    : `${item.id} ${item.what}`;
}

/**
 * Tasks due at the same time; names the first, and leads to it or to the list of all.
 * @param end time at which the page read ends, so that more may be due
 */
function dueRow(context: PageContext, alike: readonly DueItem[], end: string | undefined): Markup {
  const item = alike[0]!;
  const { at, id, kind, object, order, who } = item;
  const inMs = Date.parse(at) - context.nowMs;
  const own = kind === "delivery" ? viewUrl(context, "webhooks", id) : objectUrl(context, id);
  const to = alike.length > 1 ? `${currentUrl(context, { due: "all" })}#next` : own;
  const name = order ?? (object === null ? "" : html`<code>${ui.shortIdText(object)}</code>`);
  const subject =
    alike.length > 1
      ? html`${name} and ${at !== end && alike.length - 1} more`
      : ui.joinWithDots([name, who]);
  return html`<li data-key="task-${id}-${item.what}"><span
class="at">${inMs <= 0 ? "now" : `+${ui.readableDuration(inMs)}`}</span>
<a class="what" href="${to}"><span>${dueText(item)}</span> <span class="soft">${subject}</span></a></li>`;
}
