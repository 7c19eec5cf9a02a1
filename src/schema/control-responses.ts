import * as z from "zod/mini";
import { ACTORS, LEDGER_ACCOUNTS, modeSchema, timestampSchema } from "./common.js";
import {
  attemptSchema,
  deliveryListSchema,
  deliverySchema,
  eventListSchema,
  eventSchema,
  pageOf,
  requestEntrySchema,
  requestListSchema,
} from "./control-log-responses.js";
import { keyStatusSchema } from "./fixtures.js";
import { TASK_KINDS } from "./records/world.js";
import { chargeDetailSchema, moneySchema, withdrawalSchema } from "./responses.js";
import { chargeEntrySchema } from "./scenario.js";
import { field, fieldsOf, named, shape } from "./words.js";

/**
 * What the control API answers. As with the service's answers nothing is parsed with these
 * while it runs: the OpenAPI document of the control API is made of them, and tests hold every answer against it.
 */
const text = z.string();
const count = z.int().check(z.gte(0));
const nullableText = z.nullable(text);

export const healthSchema = shape("Health", "The server is ready.", {
  status: field(z.literal("ok"), "Always `ok`."),
  version: field(text, "Its version."),
});

export const clockSchema = shape("Clock", "Sandbox time, and how it goes.", {
  mode: field(text.check(z.regex(/^(real|manual|\d+(\.\d+)?x)$/)), {
    says: "`manual` stands, `real` goes with wall time, `60x` sixty times as fast.",
    examples: ["60x"],
  }),
  speed: field(z.number().check(z.positive()), "Sandbox time for wall time; 1 unless it goes faster."),
  now: field(timestampSchema, "What time it is."),
  next_due: field(z.nullable(timestampSchema), "When the next thing planned is due; null when nothing is."),
  advancing: field(z.boolean(), "Whether an advance is under way."),
});

export const keySchema = shape("Key", "An API key.", {
  key: field(text, "The key itself; it is good for nothing but this sandbox."),
  organization_id: field(text, "Whose it is."),
  permission: field(z.enum(["full", "read_only"]), "What it may do."),
  status: field(keyStatusSchema, "A `revoked` key is answered 401."),
});

export const countsSchema = shape("Counts", "How many records there are.", {
  charges: field(count, "Charges."),
  quotes: field(count, "Quotes."),
  withdrawals: field(count, "Withdrawals."),
  events: field(count, "Events in the log."),
  deliveries: field(count, "Deliveries in the log."),
  webhook_endpoints: field(count, "Receivers."),
  scenarios: field(count, "Scenarios, active or not."),
  tasks: field(count, "Things planned."),
});

const keys = {
  api_key: field(text, "Its key of test mode."),
  live_api_key: field(text, "Its key of live mode."),
  webhook_secret: field(text, "What its webhooks are signed with."),
  seed: field(text, "What its ids and chances follow from."),
  clock: field(clockSchema, "Its time."),
};

export const sandboxSchema = shape("Sandbox", "The server, and what is in the namespace.", {
  version: field(text, "The server's version."),
  namespace: field(text, "The namespace the request means."),
  keys: field(z.array(keySchema), "Every key it takes."),
  ...keys,
  counts: field(countsSchema, "How many there are of each."),
});

export const namespaceSchema = shape("Namespace", "A namespace.", {
  name: field(text, "What it is called."),
  ...keys,
  charges: field(count, "How many charges it has."),
});
export const namespaceListSchema = pageOf("NamespaceList", "Namespaces", namespaceSchema);

export const nameDeletedSchema = shape("NameDeleted", "It is gone.", {
  name: field(text, "What."),
  deleted: field(z.literal(true), "Always true."),
});

export const snapshotSchema = shape("Snapshot", "A state that is kept.", {
  name: field(text, "What it is called."),
  at: field(timestampSchema, "Sandbox time when it was taken."),
});
export const snapshotListSchema = pageOf("SnapshotList", "Snapshots", snapshotSchema);

export const firedSchema = shape("Fired", "One thing that happened because its time came.", {
  at: field(timestampSchema, "When."),
  task: field(
    z.enum(TASK_KINDS),
    "What: an expiry, an entry of a timeline, a settlement, a withdrawal's step, a delivery attempt.",
  ),
  ref: field(text, "The charge, withdrawal or delivery it was about."),
});
export const advanceReportSchema = shape(
  "AdvanceReport",
  "How far time went, and what happened on the way.",
  {
    from: field(timestampSchema, "Before."),
    to: field(timestampSchema, "After."),
    fired: field(z.array(firedSchema), "What happened, in order; the first 1,000."),
    fired_total: field(count, "How much happened in all."),
  },
);

/** What happened to a charge that no status shows. */
const note = { at: timestampSchema, note: text };
export const chargeFateSchema = shape("ChargeFate", "Why a charge goes the way it goes.", {
  scenario: field(nullableText, "The scenario whose rule matched; null when none has."),
  scenario_asked: field(nullableText, "The scenario it asked for by name, if any."),
  timeline: field(z.array(chargeEntrySchema), "What was planned for it when it matched."),
  notes: field(
    z.array(z.object(note)),
    "What no status shows: entries that came too late, names that matched nothing.",
  ),
});
const mode = field(modeSchema, "Test or live.");
export const controlChargeSchema = shape(
  "ControlCharge",
  "A charge as the service shows it, and what is behind it.",
  {
    ...fieldsOf(chargeDetailSchema),
    mode,
    kind: field(
      z.enum(["whitelabel", "hosted"]),
      "Whether the shop's own page or the hosted one takes the payment.",
    ),
    sandbox: field(chargeFateSchema, "What decides its fate."),
  },
);
export const controlChargeListSchema = pageOf("ControlChargeList", "Charges", controlChargeSchema);

function kind<Kind extends string>(name: Kind) {
  return field(z.literal(name), `Always \`${name}\`.`);
}
const at = field(timestampSchema, "When.");
const amount = z.string().check(z.regex(/^-?\d+(\.\d+)?$/));
const eventType = field(text, "What it says.");

export const causeSchema = shape("Cause", "Who caused a change of status.", {
  actor: field(
    z.enum(ACTORS),
    "`api`: a call of the service. `scenario`: an entry of a timeline. `clock`: its time ran out. `customer`: on the hosted page. `control`: the control API, a command or the dashboard.",
  ),
  scenario: field(nullableText, "The scenario, when one caused it."),
  rule: field(nullableText, {
    says: "Its rule, by the name it has in the scenario's `applied`.",
    examples: ["charges.1"],
  }),
});

/** A charge's story, one happening after the other; `kind` says of which sort each is. */
export const happeningSchema = named(
  "Happening",
  "One thing that happened; `kind` says of which sort.",
  z.discriminatedUnion("kind", [
    shape("RequestHappening", "A call of the service.", {
      kind: kind("request"),
      ...fieldsOf(requestEntrySchema),
    }),
    shape("TransitionHappening", "A change of status.", {
      kind: kind("transition"),
      status: field(chargeDetailSchema.shape.status, "What it became."),
      at,
      reason: field(z.optional(text), "Why, where there is a reason."),
      by: field(
        z.nullable(causeSchema),
        "Who caused it; null for a charge that an earlier version has made.",
      ),
    }),
    shape("LedgerHappening", "An entry of the ledger.", {
      kind: kind("ledger"),
      at,
      entry_id: field(text, "The entry."),
      posting: field(text, { says: "What for.", examples: ["payment", "settlement", "refund"] }),
      currency: field(text, "The currency of its amounts."),
      postings: field(
        z.array(z.object({ account: z.enum(LEDGER_ACCOUNTS), amount })),
        "What moved between the accounts: signed amounts whose sum is zero.",
      ),
    }),
    shape("EventHappening", "An event was made.", {
      kind: kind("event"),
      at,
      event_id: field(text, "The event."),
      type: eventType,
    }),
    shape("NoteHappening", "Something no status shows.", {
      kind: kind("note"),
      at,
      note: field(note.note, "What."),
    }),
    shape("AttemptHappening", "An attempt at telling a receiver.", {
      kind: kind("attempt"),
      delivery_id: field(text, "The delivery."),
      event_id: field(text, "The event."),
      type: eventType,
      webhook_id: field(text, "The receiver."),
      ...fieldsOf(attemptSchema),
    }),
    shape("HoldHappening", "A delivery that is held: it has been waiting since then, and still is.", {
      kind: kind("hold"),
      at,
      delivery_id: field(text, "The delivery."),
      event_id: field(text, "The event."),
      type: eventType,
      webhook_id: field(text, "The receiver."),
      reason: field(text, {
        says: "Why it is held, in a sentence.",
        examples: ["nobody listens on localhost:3001; it is tried again each second"],
      }),
    }),
  ]),
);
export const chargeStorySchema = shape("ChargeStory", "All that happened to a charge.", {
  charge_id: field(text, "Which."),
  status: field(chargeDetailSchema.shape.status, "Where it stands."),
  traceparent: field(z.nullable(text), "The W3C Trace Context of the call that made it, if it had one."),
  total: field(count, "How much has happened."),
  items: field(z.array(happeningSchema), "What, in order."),
});

export const controlBalanceSchema = shape("ControlBalance", "What an organization holds in a currency.", {
  organization_id: field(text, "Whose."),
  mode,
  currency: field(text, "The currency."),
  available_balance: field(moneySchema, "What can be withdrawn or refunded."),
  pending_balance: field(moneySchema, "What has yet to settle."),
});
export const controlBalanceListSchema = pageOf("ControlBalanceList", "Accounts", controlBalanceSchema);

export const controlWithdrawalSchema = shape("ControlWithdrawal", "A withdrawal, whoever's it is.", {
  ...fieldsOf(withdrawalSchema),
  mode,
});
export const controlWithdrawalListSchema = pageOf(
  "ControlWithdrawalList",
  "Withdrawals",
  controlWithdrawalSchema,
);

export const waitedChargeSchema = shape("WaitedCharge", "The charge that was waited for.", {
  ...fieldsOf(chargeDetailSchema),
  mode,
});
export const idleSchema = shape("Idle", "Nothing is due and nothing under way.", {
  idle: field(z.literal(true), "Always true."),
  now: field(timestampSchema, "What time it is."),
});
export const waitResultSchema = named(
  "WaitResult",
  "The newest record that matches: a charge, request or delivery; or that all is idle.",
  z.union([waitedChargeSchema, requestEntrySchema, deliverySchema, idleSchema]),
);

export const coveredSchema = shape("Covered", "What was met, and what was not.", {
  met: field(z.record(z.string(), z.int().check(z.gte(1))), "How often each was met."),
  not_met: field(z.array(text), "The rest."),
});
export const coverageSchema = shape("Coverage", "What the app has met of what the service can do.", {
  operations: field(coveredSchema, "Operations it has called."),
  statuses: field(coveredSchema, "Statuses its charges have had."),
  events: field(coveredSchema, "Events that were made for it."),
  error_codes: field(coveredSchema, "Error codes it was answered."),
  mishaps: field(
    coveredSchema,
    "What went wrong on the way: a receiver got an event twice (duplicate) or after a later one (out_of_order), an answer was lost (lost_answer), a delivery was tried again (retry), a charge was paid after it had expired (late_payment).",
  ),
});

export const adviceSchema = shape("Advice", "Something the app did against the service's advice.", {
  id: field(text, "The name of the habit."),
  advice: field(text, "What it should do."),
  why: field(text, "What it did."),
  times: field(z.int().check(z.gte(1)), "How often."),
  example: field(text, "The last time."),
  docs: field(text, "Where the package's docs say more of it."),
});
export const adviceListSchema = shape("AdviceList", "What the app did against the service's advice.", {
  total: field(count, "How much there is."),
  items: field(z.array(adviceSchema), "All of it."),
});
export type AdviceList = z.infer<typeof adviceListSchema>;

export const leaseSchema = shape("Lease", "A run that has a namespace.", {
  namespace: field(text, "Which."),
  run: field(text, "The run."),
  held: field(z.boolean(), "Whether it has it."),
});

const failedTest = {
  failed_test_id: field(count, "Counts up with each."),
  test: field(text, "What it is called."),
  namespace: field(text, "Where it was; it may be gone by now."),
  at: field(timestampSchema, "When, in sandbox time."),
  text: field(text, "What happened, for people: the calls that failed, and each charge's story."),
};
export const failedTestSchema = shape("FailedTest", "A test that failed.", failedTest);
export const failedTestListSchema = shape("FailedTestList", "Tests that failed.", {
  ...fieldsOf(pageOf("FailedTestPage", "Tests", failedTestSchema)),
  left_out: field(count, "How many more have failed: there was no room for what happened in them."),
});
const storiesSchema = shape("Stories", "What happened to the charges.", {
  charges: field(count, "How many charges there were."),
  not_in_order: field(count, "How many were not paid, or a webhook of them not taken."),
  items: field(
    z.array(
      shape("Story", "What happened to a charge.", {
        charge: field(z.record(z.string(), z.unknown()), "The charge."),
        is_in_order: field(z.boolean(), "Whether it was paid and its webhooks taken."),
        items: field(z.array(happeningSchema), "What happened to it, in order."),
      }),
    ),
    "Those not in order first, then the newest; 500 at most.",
  ),
});
export const failedTestDetailSchema = shape("FailedTestDetail", "What happened in a test that failed.", {
  ...failedTest,
  requests: field(requestListSchema, "What the app sent, and what it was answered."),
  events: field(eventListSchema, "What its receivers were to be told."),
  deliveries: field(deliveryListSchema, "How that went."),
  coverage: field(coverageSchema, "What the app had met."),
  advice: field(adviceListSchema, "What it did against the service's advice."),
  stories: field(storiesSchema, "What happened to each charge."),
});

export const ratesSchema = shape("Rates", "The market.", {
  rates: field(z.record(z.string(), text), "Units of each currency for one US dollar."),
});

/** The stream's messages: `event` is the name of the server-sent event, `data` the JSON it carries. */
export const streamMissedSchema = shape(
  "StreamMissed",
  "The reader was too slow for what came: some of it was left out.",
  { count: field(z.int().check(z.gte(1)), "How many messages.") },
);
/** By the name of the server-sent event. */
export const STREAM_SCHEMAS = {
  hello: shape("StreamHello", "The stream has begun.", {
    namespace: field(text, "Whose it is."),
    now: field(timestampSchema, "What time it is."),
  }),
  request: requestEntrySchema,
  charge: shape("StreamCharge", "A charge was made or has changed.", {
    charge_id: field(text, "Which."),
    status: field(chargeDetailSchema.shape.status, "Where it stands."),
    amount: field(moneySchema, "What the customer pays."),
    currency: field(text, "In what."),
    updated_at: field(timestampSchema, "When."),
    customer_email: field(nullableText, "Who pays."),
  }),
  event: eventSchema,
  delivery: deliverySchema,
  clock: clockSchema,
  missed: streamMissedSchema,
  news: shape("StreamNews", "With `view=light`, in the place of all others: what has changed.", {
    now: field(timestampSchema, "What time it is."),
    counts: field(z.record(z.string(), count), {
      says: "How often something of each kind has changed since the message before.",
      examples: [{ charge: 12, delivery: 30 }],
    }),
    items: field(
      z.array(
        shape("StreamChanged", "Something that has changed.", {
          kind: field(text, {
            says: "What it is.",
            examples: ["charge", "withdrawal", "event", "delivery", "receiver", "fault", "request", "clock"],
          }),
          id: field(text, "Which."),
          status: field(nullableText, "Its status by now; null where it has none."),
        }),
      ),
      "Each thing once; the first 100.",
    ),
  }),
} as const;
