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

export const clockSchema = shape("Clock", "Sandbox time and the clock's mode.", {
  mode: field(text.check(z.regex(/^(real|manual|\d+(\.\d+)?x)$/)), {
    says: "`manual` is paused, `real` runs with wall time, `60x` sixty times as fast.",
    examples: ["60x"],
  }),
  speed: field(z.number().check(z.positive()), "Sandbox time per wall time; 1 unless it runs faster."),
  now: field(timestampSchema, "What time it is."),
  next_due: field(z.nullable(timestampSchema), "When the next task is due; null if there is none."),
  advancing: field(z.boolean(), "Whether the clock is being advanced."),
});

export const keySchema = shape("Key", "An API key.", {
  key: field(text, "The key itself; it is valid for this sandbox only."),
  organization_id: field(text, "Whose it is."),
  permission: field(z.enum(["full", "read_only"]), "What it may do."),
  rate_limit: field(z.optional(z.int()), "Requests per minute, if it has a limit of its own."),
  status: field(keyStatusSchema, "A `revoked` key gets 401."),
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
  seed: field(text, "The seed of its IDs and random outcomes."),
  clock: field(clockSchema, "Its time."),
};

export const sandboxSchema = shape("Sandbox", "The server and the namespace.", {
  version: field(text, "The server's version."),
  namespace: field(text, "The request's namespace."),
  keys: field(z.array(keySchema), "Every key it takes."),
  ...keys,
  counts: field(countsSchema, "The number of records of each kind."),
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

export const snapshotSchema = shape("Snapshot", "A saved state.", {
  name: field(text, "What it is called."),
  at: field(timestampSchema, "Sandbox time when it was taken."),
});
export const snapshotListSchema = pageOf("SnapshotList", "Snapshots", snapshotSchema);

export const firedSchema = shape("Fired", "A task that ran.", {
  at: field(timestampSchema, "When."),
  task: field(
    z.enum(TASK_KINDS),
    "An expiry, an entry of a timeline, a settlement, a withdrawal step or a delivery attempt.",
  ),
  ref: field(text, "The charge, withdrawal or delivery it was about."),
});
export const advanceReportSchema = shape(
  "AdvanceReport",
  "How far the clock moved, and what happened on the way.",
  {
    from: field(timestampSchema, "Before."),
    to: field(timestampSchema, "After."),
    fired: field(z.array(firedSchema), "What happened, in order; the first 1,000."),
    fired_total: field(count, "The number of tasks that ran."),
  },
);

/** What happened to a charge that no status shows. */
const note = { at: timestampSchema, note: text };
export const chargeFateSchema = shape("ChargeFate", "Why a charge has the outcome it has.", {
  scenario: field(nullableText, "The scenario whose rule matched; null when none has."),
  scenario_asked: field(nullableText, "The scenario requested by name, if any."),
  timeline: field(z.array(chargeEntrySchema), "Its timeline at the time it matched."),
  notes: field(
    z.array(z.object(note)),
    "Notes that no status shows: entries that came too late, names that matched nothing.",
  ),
});
const mode = field(modeSchema, "Test or live.");
export const controlChargeSchema = shape(
  "ControlCharge",
  "A charge as the service shows it, with its scenario and timeline.",
  {
    ...fieldsOf(chargeDetailSchema),
    mode,
    kind: field(
      z.enum(["whitelabel", "hosted"]),
      "Whether the shop's own page or the hosted page takes the payment.",
    ),
    sandbox: field(chargeFateSchema, "What decides its outcome."),
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
    "`api`: a call of the service. `scenario`: an entry of a timeline. `clock`: it expired. `customer`: on the hosted page. `control`: the control API, a command or the dashboard.",
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
      by: field(causeSchema, "Who caused it."),
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
    shape("EventHappening", "An event was created.", {
      kind: kind("event"),
      at,
      event_id: field(text, "The event."),
      type: eventType,
    }),
    shape("NoteHappening", "A note that no status shows.", {
      kind: kind("note"),
      at,
      note: field(note.note, "What."),
    }),
    shape("AttemptHappening", "A delivery attempt.", {
      kind: kind("attempt"),
      delivery_id: field(text, "The delivery."),
      event_id: field(text, "The event."),
      type: eventType,
      webhook_id: field(text, "The receiver."),
      receiver: field(text, "The receiver for people: its URL without the scheme, or its mailbox."),
      ...fieldsOf(attemptSchema),
    }),
    shape("HoldHappening", "A delivery that is held: it has been waiting since then, and still is.", {
      kind: kind("hold"),
      at,
      delivery_id: field(text, "The delivery."),
      event_id: field(text, "The event."),
      type: eventType,
      webhook_id: field(text, "The receiver."),
      receiver: field(text, "The receiver for people: its URL without the scheme, or its mailbox."),
      reason: field(text, {
        says: "Why it is held, in a sentence.",
        examples: ["nothing listens on localhost:3001; retried every second"],
      }),
    }),
  ]),
);
/** One item of a charge's story: what the control API returns, the command line prints and the dashboard draws. */
export type StoryItem = z.infer<typeof happeningSchema>;
export const chargeStorySchema = shape("ChargeStory", "All that happened to a charge.", {
  charge_id: field(text, "Which."),
  status: field(chargeDetailSchema.shape.status, "Its status."),
  traceparent: field(z.nullable(text), "The W3C Trace Context of the call that made it, if it had one."),
  total: field(count, "The number of happenings."),
  items: field(z.array(happeningSchema), "The happenings, in order."),
});

export const controlBalanceSchema = shape("ControlBalance", "What an organization holds in a currency.", {
  organization_id: field(text, "Whose."),
  mode,
  currency: field(text, "The currency."),
  available_balance: field(moneySchema, "The amount that can be withdrawn or refunded."),
  pending_balance: field(moneySchema, "The amount that has yet to settle."),
});
export const controlBalanceListSchema = pageOf("ControlBalanceList", "Accounts", controlBalanceSchema);

export const controlWithdrawalSchema = shape("ControlWithdrawal", "A withdrawal of any organization.", {
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
export const idleSchema = shape("Idle", "Nothing is due and nothing is in flight.", {
  idle: field(z.literal(true), "Always true."),
  now: field(timestampSchema, "What time it is."),
});
export const waitResultSchema = named(
  "WaitResult",
  "The newest matching record (a charge, request or delivery), or that the namespace is idle.",
  z.union([waitedChargeSchema, requestEntrySchema, deliverySchema, idleSchema]),
);

export const coveredSchema = shape("Covered", "What was met, and what was not.", {
  met: field(z.record(z.string(), z.int().check(z.gte(1))), "How often each was met."),
  not_met: field(z.array(text), "The rest."),
});
export const coverageSchema = shape("Coverage", "What the app has met, and what it has not.", {
  operations: field(coveredSchema, "Operations it has called."),
  statuses: field(coveredSchema, "Statuses its charges have had."),
  events: field(coveredSchema, "Events created for it."),
  error_codes: field(coveredSchema, "Error codes it got."),
  mishaps: field(
    coveredSchema,
    "What went wrong on the way: a receiver got an event twice (duplicate) or after a later one (out_of_order), a response was lost (lost_answer), a delivery was retried (retry), a charge was paid after it had expired (late_payment).",
  ),
});

export const adviceSchema = shape("Advice", "Something the app did against the service's advice.", {
  id: field(text, "The name of the habit."),
  advice: field(text, "What it should do."),
  why: field(text, "What it did."),
  times: field(z.int().check(z.gte(1)), "How often."),
  example: field(text, "The last time."),
  docs: field(text, "Where to read more in the docs of the package."),
});
export const adviceListSchema = shape("AdviceList", "What the app did against the service's advice.", {
  total: field(count, "How much there is."),
  items: field(z.array(adviceSchema), "All of it."),
});
export type AdviceList = z.infer<typeof adviceListSchema>;

export const leaseSchema = shape("Lease", "The run that holds the namespace.", {
  namespace: field(text, "Which."),
  run: field(text, "The run."),
  held: field(z.boolean(), "Whether it has it."),
});

const failedTest = {
  failed_test_id: field(count, "Counts up with each."),
  test: field(text, "What it is called."),
  namespace: field(text, "Its namespace; it may have been deleted since."),
  at: field(timestampSchema, "When, in sandbox time."),
  text: field(text, "What happened, as text: the calls that failed, and each charge's history."),
};
export const failedTestSchema = shape("FailedTest", "A test that failed.", failedTest);
export const failedTestListSchema = shape("FailedTestList", "Tests that failed.", {
  ...fieldsOf(pageOf("FailedTestPage", "Tests", failedTestSchema)),
  left_out: field(count, "How many more tests failed without being recorded, because the limit was reached."),
});
const storiesSchema = shape("Stories", "What happened to the charges.", {
  charges: field(count, "How many charges there were."),
  not_in_order: field(count, "How many were not paid, or have a webhook that was not accepted."),
  items: field(
    z.array(
      shape("Story", "What happened to a charge.", {
        charge: field(z.record(z.string(), z.unknown()), "The charge."),
        is_in_order: field(z.boolean(), "Whether it was paid and its webhooks accepted."),
        items: field(z.array(happeningSchema), "What happened to it, in order."),
      }),
    ),
    "Those not in order first, then the newest; 500 at most.",
  ),
});
export const failedTestDetailSchema = shape("FailedTestDetail", "What happened in a test that failed.", {
  ...failedTest,
  requests: field(requestListSchema, "The app's requests and the responses."),
  events: field(eventListSchema, "The webhooks for its receivers."),
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
  "The reader was too slow: some messages were dropped.",
  { count: field(z.int().check(z.gte(1)), "How many messages.") },
);
/** By the name of the server-sent event. */
export const STREAM_SCHEMAS = {
  hello: shape("StreamHello", "The stream.", {
    namespace: field(text, "Whose it is."),
    now: field(timestampSchema, "What time it is."),
  }),
  request: requestEntrySchema,
  charge: shape("StreamCharge", "A charge was created or has changed.", {
    charge_id: field(text, "Which."),
    status: field(chargeDetailSchema.shape.status, "Its status."),
    amount: field(moneySchema, "What the customer pays."),
    currency: field(text, "In what."),
    updated_at: field(timestampSchema, "When."),
    customer_email: field(nullableText, "Who pays."),
  }),
  event: eventSchema,
  delivery: deliverySchema,
  clock: clockSchema,
  missed: streamMissedSchema,
  news: shape("StreamNews", "With `view=light`, instead of all others: what has changed.", {
    now: field(timestampSchema, "What time it is."),
    counts: field(z.record(z.string(), count), {
      says: "How many changes of each kind there were since the previous message.",
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
          status: field(nullableText, "Its current status; null if it has none."),
        }),
      ),
      "Each object once; the first 100.",
    ),
  }),
} as const;
