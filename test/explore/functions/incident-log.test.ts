import { join } from "node:path";
import { expect, it } from "vitest";
import type { Sandbox } from "../../../src/library/index.js";
import { chosenSets } from "../../../src/tools/explore/incident-log/shown-deviations.js";
import { openSandbox } from "../../support/api-client.js";
import { folderWith } from "../../support/folders.js";
import { exploreIncident } from "./incident-flows.js";
import { flowOf, openFunctionShop, serviceOf } from "./shop.js";

const DAY = "2026-11-20T";

/** A log with a line for each entry: its time of day, then `call` and its status, or `webhook`, its id and its status. */
function logOf(entries: readonly string[]): string {
  const lines = entries.map((entry) => {
    const [time, what = "", ...rest] = entry.split(" ");
    const at = `${DAY}${time}Z`;
    const ending = rest.at(-1) === "lost" ? { lost: true } : { status: Number(rest.at(-1)) };
    const line = what.includes(".") ? { at, webhook: what, id: rest[0] } : { at, call: what };
    return JSON.stringify({ ...line, ...ending });
  });
  return logFile(lines.join("\n"));
}

function logFile(text: string): string {
  return join(folderWith({ "incident.jsonl": text }), "incident.jsonl");
}

const shownBy = (log: string) => chosenSets({ from: log }).shown!.map(({ kind, at }) => `${kind} at ${at}`);

const CREATED = ["14:00:00 createQuote 200", "14:00:01 createWhitelabel 200"];
const PROCESSING = "14:00:03 charge.processing evt_1 204";

const DUPLICATES = [
  "14:02:11.430 createCheckout 200",
  "14:03:40.004 charge.processing evt_1 204",
  "14:03:44.310 charge.completed evt_2 204",
  "14:03:44.352 charge.completed evt_2 204",
];
const EARLY = [
  "09:15:00.120 createQuote 200",
  "09:15:04.900 charge.processing evt_8 204",
  "09:15:08.100 charge.completed evt_9 204",
  "09:15:21.600 createWhitelabel 200",
];
const OUTAGE = [
  "18:40:01 createQuote 200",
  "18:40:31 createWhitelabel lost",
  "18:40:32 createQuote 503",
  "18:40:39 createQuote 200",
  "18:40:40 createWhitelabel 200",
  "18:42:30 charge.completed evt_31 204",
];

const exploresIncident = (incident: string) => (hasBug: boolean, from: string) =>
  exploreIncident(incident, hasBug ? "app.mjs" : "fixed.mjs", { from });

async function exploreShop(hasBugs: boolean, from: string) {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const flow = flowOf(await openFunctionShop(sandbox, { hasBugs }));
  return sandbox.explore(flow, { from, throws: false });
}

it.each([
  [
    "duplicates",
    DUPLICATES,
    exploresIncident("duplicates-at-once"),
    "webhook_twice_at_once at charge.completed#1",
  ],
  [
    "webhooks before the response",
    EARLY,
    exploresIncident("webhook-before-the-row"),
    "response_held at createWhitelabel#1",
  ],
  ["an outage", OUTAGE, exploreShop, "response_lost at createWhitelabel#1"],
])(
  "a log of %s finds the bug that it shows, and is silent on the fix",
  async (_what, log, explore, found) => {
    const from = logOf(log);
    const broken = await explore(true, from);
    const sets = broken.findings.map(({ deviations }) =>
      deviations.map(({ kind, at }) => `${kind} at ${at}`),
    );
    expect(sets).toEqual([[found]]);
    const fixed = await explore(false, from);
    expect(fixed).toMatchObject({ passed: true, findings: [] });
    expect(fixed.runs).toBeGreaterThan(0);
  },
);

it.each([
  ["a lost read", [...CREATED, "14:00:02 getCharge lost"], ["request_lost at getCharge#1"]],
  [
    "a lost write",
    ["14:00:00 createQuote lost"],
    ["response_lost at createQuote#1", "request_lost at createQuote#1"],
  ],
  [
    "a lost call whose payment has webhooks",
    ["14:00:01 createCheckout lost", PROCESSING],
    ["response_lost at createCheckout#1"],
  ],
  [
    "a call too many",
    ["14:00:00 createQuote 200", "14:00:01 createQuote 429"],
    ["response_429 at createQuote#2"],
  ],
  [
    "a webhook again after a minute",
    [...CREATED, PROCESSING, "14:01:03 charge.processing evt_1 204"],
    ["webhook_twice at charge.processing#1"],
  ],
  [
    "a webhook again after hours",
    [...CREATED, PROCESSING, "17:01:03 charge.processing evt_1 204"],
    ["webhook_again_later at charge.processing#1"],
  ],
  [
    "a webhook whose response was lost",
    [...CREATED, "14:00:03 charge.processing evt_1 lost", "14:00:08 charge.processing evt_1 204"],
    ["webhook_response_lost at charge.processing#1"],
  ],
  [
    "the first webhook before the response",
    ["14:00:00 charge.awaiting_payment evt_0 204", "14:00:01 createWhitelabel 200", PROCESSING],
    ["webhook_first at charge.awaiting_payment#1"],
  ],
  [
    "a webhook after the next",
    [...CREATED, "14:00:02 charge.completed evt_2 204", PROCESSING],
    ["webhook_after_next at charge.processing#1"],
  ],
  [
    "two payments, of which the second is declined",
    [
      ...CREATED,
      "14:00:02 charge.completed evt_2 204",
      "14:00:03 createWhitelabel 200",
      "14:00:04 charge.awaiting_payment evt_3 204",
      "14:00:05 charge.awaiting_payment evt_4 204",
      "14:00:06 charge.failed evt_5 204",
    ],
    ["webhook_after_next at charge.awaiting_payment#1"],
  ],
  [
    "a late payment",
    [...CREATED, "15:00:01 charge.expired evt_1 204", "15:10:00 charge.completed evt_2 204"],
    ["paid_late at charge#1"],
  ],
  [
    "an order paid and refunded",
    [...CREATED, "14:00:05 charge.completed evt_1 204", "16:00:05 charge.refunded evt_2 204"],
    ["refunded at charge#1"],
  ],
  ["a declined payment", [...CREATED, "14:00:05 charge.failed evt_1 204"], ["declined at charge#1"]],
  ["an unpaid order", [...CREATED, "15:00:01 charge.expired evt_1 204"], ["expired_unpaid at charge#1"]],
  [
    "a refused webhook, sent again, and another webhook twice",
    [
      ...CREATED,
      "14:00:03 charge.processing evt_1 500",
      "14:00:08 charge.processing evt_1 204",
      "14:00:10 charge.completed evt_2 204",
      "14:00:10.5 charge.completed evt_2 204",
    ],
    ["webhook_twice_at_once at charge.completed#1"],
  ],
])("a log with %s shows it", (_what, log, shown) => {
  expect(shownBy(logOf(log))).toEqual(shown);
});

it("each deviation of a log is tried alone, then all together, of alternatives the first", () => {
  const { only, shown } = chosenSets({
    from: logOf(["14:00:00 createCheckout lost", "14:00:01 createQuote 503", "14:00:02 createCheckout 200"]),
  });
  const lost = { kind: "response_lost", at: "createCheckout#1" };
  const unsent = { kind: "request_lost", at: "createCheckout#1" };
  const failed = { kind: "response_5xx", at: "createQuote#1" };
  expect(only).toEqual([[lost], [unsent], [failed], [lost, failed]]);
  expect(shown).toContainEqual({ ...failed, reason: `the call at ${DAY}14:00:01.000Z returned 503` });
});

it.each([
  ["no JSON", '{"at": ', "is not JSON"],
  ["no object", "17", 'a line is {"at", "call", "status" or "lost"}'],
  ["neither call nor webhook", '{"at":"2026-11-20T14:00:00Z"}', "has neither call nor webhook: a line is"],
  ["no time", '{"call":"createQuote"}', "at is required"],
  [
    "another time",
    '{"at":"noon","call":"createQuote"}',
    "at must be a time, such as 2026-11-20T14:02:11.120Z",
  ],
  [
    "an unknown operation",
    '{"at":"2026-11-20","call":"createQuotes"}',
    "call is no operation; did you mean createQuote?",
  ],
  [
    "an unknown event type",
    '{"at":"2026-11-20","webhook":"charge.succeeded","id":"evt_1"}',
    "webhook is no event type; did you mean charge.completed?",
  ],
  ["no id", '{"at":"2026-11-20","webhook":"charge.completed"}', "id is required"],
  ["a text as status", '{"at":"2026-11-20","call":"createQuote","status":"200"}', "status must be a number"],
  [
    "an unknown field",
    '{"at":"2026-11-20","call":"createQuote","statsu":200}',
    "statsu is not a known field; did you mean status?",
  ],
  ["a damaged record", '{"request_id":1,"operation":"createQuote"}', "at is required"],
  ["a damaged delivery", '{"delivery_id":"dlv_1","event_id":"evt_1"}', "type is required"],
])("a line with %s is refused in one line that names it", (_what, line, message) => {
  const file = logFile(`{"at":"2026-11-20T14:00:00Z","call":"createQuote","status":200}\n\n${line}\n`);
  const read = () => chosenSets({ from: file });
  expect(read).toThrow(`${file}:3: ${message}`);
  expect(read).toThrow(expect.objectContaining({ exitCode: 2, name: "UserError" }));
  expect(read).not.toThrow("\n");
});

it.each([
  ["shows no deviation", logOf(CREATED), "shows nothing to try: each call has a response below 429"],
  ["is empty", logFile("\n"), "has neither a call of the app nor a webhook: nothing to try"],
  ["is missing", "nowhere.jsonl", "cannot be read: "],
])("a log that %s is refused", (_what, file, message) => {
  const read = () => chosenSets({ from: file });
  expect(read).toThrow(`${file}: ${message}`);
  expect(read).toThrow(expect.objectContaining({ exitCode: 2 }));
});

it("a log whose deviations have no place in the flow is refused, and only and from exclude each other", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const flow = flowOf(await openFunctionShop(sandbox));
  const from = logOf(["14:00:00 getCharge 503", "14:00:01 createWithdrawal 429"]);
  await expect(sandbox.explore(flow, { from })).rejects.toThrow(
    "only response_5xx at getCharge#1, response_429 at createWithdrawal#1: a run has no such place",
  );
  await expect(sandbox.explore(flow, { from, only: "declined at charge#1" })).rejects.toThrow(
    "only and from both name the sets to run: give one of them",
  );
});

it("a deviation of a log without a place in the flow is reported, and the others are tried", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const flow = flowOf(await openFunctionShop(sandbox));
  const from = logOf(["14:00:00 createQuote 503", "14:00:01 createWithdrawal 429"]);
  const { shown, not_tried, singles, sentence } = await sandbox.explore(flow, { from });
  expect(shown).toHaveLength(2);
  expect(singles).toEqual([{ kind: "response_5xx", at: "createQuote#1", outcome: "right" }]);
  expect(not_tried).toEqual([
    { kind: "response_429", at: "createWithdrawal#1", reason: "a run has no such place" },
  ]);
  expect(sentence).toBe("order: 1 set of the log: 0 findings");
});

/** A payment whose quote failed at first and whose first webhook came twice, in a sandbox that keeps what it has seen. */
async function openPaid(): Promise<Sandbox> {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const call = serviceOf(sandbox);
  await sandbox.onWebhook(() => new Response(null, { status: 200 }));
  await sandbox.control("POST", "/_sandbox/webhook-endpoints", { mailbox: "tests" });
  await sandbox.control("POST", "/_sandbox/faults", {
    match: { operation: "createQuote" },
    respond: { status: 503 },
    times: 1,
  });
  await sandbox.control("PUT", "/_sandbox/scenarios/twice", {
    webhooks: [{ match: { type: "charge.awaiting_payment" }, copies: 2, at_once: true }],
  });
  await sandbox.control("POST", "/_sandbox/scenarios/twice/activate", {});
  const terms = { pricing: { base_currency: "KES", amount: "1105.10" }, payment_method: "card" };
  await call("POST", "quotes", terms).catch(() => {});
  const { quote_id } = await call("POST", "quotes", terms);
  await call("POST", "whitelabel", { ...terms, quote_id, customer_email: "ada@example.com" });
  await sandbox.advance("1m");
  return sandbox;
}

const COPIED = "webhook_twice_at_once at charge.awaiting_payment#1";

it.each([
  ["an exported state", "GET /_sandbox/state", [COPIED]],
  ["a list of requests", "GET /_sandbox/requests", ["response_5xx at createQuote#1"]],
  ["a list of deliveries", "GET /_sandbox/deliveries", [COPIED]],
  ["deliveries taken from a mailbox", "POST /_sandbox/mailboxes/tests/take", [COPIED]],
])("%s of a sandbox is a log", async (_what, operation, shown) => {
  const sandbox = await openPaid();
  const [method = "", path = ""] = operation.split(" ");
  const answer = await sandbox.control(method, path, method === "POST" ? {} : undefined);
  expect(shownBy(logFile(JSON.stringify(answer, null, 2)))).toEqual(shown);
});
