import * as z from "zod/mini";
import { timestampSchema } from "./common.js";
import {
  adviceListSchema,
  causeSchema,
  coverageSchema,
  nextStepSchema,
  webhookCountsSchema,
  whySchema,
} from "./control-insight-responses.js";
import {
  attemptSchema,
  deliveryListSchema,
  deliverySchema,
  eventListSchema,
  eventSchema,
  pageShape,
  requestEntrySchema,
  requestListSchema,
  unboundedCountSchema,
  unboundedOrdinalSchema,
} from "./control-log-responses.js";
import { clockSchema, namespaceKeyFields } from "./control-sandbox-responses.js";
import { field, fieldsOf, namedSchema, pickFields, recordShape, shape } from "./descriptions.js";
import { reversalSchema } from "./engine-requests.js";
import { BOOK_FINDING_KINDS, BOOK_FINDING_MESSAGES } from "./reconciliation.js";
import { taskRecordSchema } from "./records/namespace-records.js";
import {
  chargeRecordSchema,
  holdingsRecordSchema,
  ledgerEntryRecordSchema,
  paymentNoteRecordSchema,
} from "./records/payment-records.js";
import { type DeepReadonly, text, textList, textOrNull } from "./records/record-fields.js";
import {
  bankAccountDestinationSchema,
  chargeDetailSchema,
  cryptoWalletDestinationSchema,
  mobileMoneyDestinationSchema,
  moneySchema,
  quoteSchema,
  withdrawalSchema,
} from "./service-responses.js";

/* Never parsed at run time: tests check every response against the OpenAPI document made from these schemas. */

const timeOrNull = z.nullable(timestampSchema);
const deleted = z.literal(true);
const owner = pickFields(holdingsRecordSchema.shape, "mode", "organization_id");
const { mode } = owner;

export const namespaceSchema = recordShape("Namespace", "A namespace.", {
  name: text,
  ...namespaceKeyFields,
  charges: field(unboundedCountSchema, "How many charges it has."),
});
export const namespaceListSchema = pageShape("NamespaceList", "Namespaces", namespaceSchema);
export const nameDeletedSchema = recordShape("NameDeleted", "It is deleted.", { name: text, deleted });

export const snapshotSchema = recordShape("Snapshot", "A saved state.", {
  name: text,
  at: field(timestampSchema, "Sandbox time when it was taken."),
});
export const snapshotListSchema = pageShape("SnapshotList", "Snapshots", snapshotSchema);

const { kind: taskKind, task_id } = taskRecordSchema.shape;
const taskSchema = recordShape("Task", "A scheduled task.", {
  task_id,
  kind: taskKind,
  due_at: field(timestampSchema, "Sandbox time."),
  id: field(text, "The charge, withdrawal or delivery it is about."),
  to: field(textOrNull, "The status it leads to; null for a settlement and an attempt."),
  event_type: field(textOrNull, "For an attempt: the event being delivered."),
  webhook_id: field(textOrNull, "For an attempt: the receiver."),
});
export const taskListSchema = pageShape("TaskList", "Tasks", taskSchema, "earliest first");
const nextSchema = recordShape("Next", "A task, a waiting delivery, or a possible change of status.", {
  kind: z.enum(["task", "delivery", "transition"]),
  id: field(text, "The charge, withdrawal or delivery."),
  at: field(timeOrNull, "When it is due; null if no time is set."),
  what: field(text, "The kind of task, the event, or the current status."),
  to: field(textList, "The status a task leads to, or the possible next statuses of a transition."),
  object: field(textOrNull, "The charge or withdrawal it is about."),
  order: field(textOrNull, "The app's order, as its metadata names it."),
  who: field(textOrNull, "The customer, or the reference of a withdrawal."),
  amount: textOrNull,
  currency: textOrNull,
  receiver: field(textOrNull, "For a delivery: the receiver, for people."),
  attempts: field(unboundedCountSchema, "For a delivery: how many attempts it has had."),
  hold: field(textOrNull, "Why a delivery waits, apart from time."),
});
export type NextItem = DeepReadonly<z.infer<typeof nextSchema>>;
export const nextListSchema = pageShape(
  "NextList",
  "What can happen next",
  nextSchema,
  "scheduled tasks and deliveries first, in time order",
);

const insight = {
  why: whySchema,
  next_step: field(z.nullable(nextStepSchema), "Null for a payment that has ended, if no webhook waits."),
  webhooks: webhookCountsSchema,
  reversals: field(z.array(reversalSchema), "What was taken back, newest first, while the status stayed."),
  planned: field(
    z.array(recordShape("Planned", "A change of status that is planned.", { to: text, at: timestampSchema })),
    "The changes to come if nobody interferes, in order.",
  ),
};

const fateSchema = recordShape("Fate", "Why a payment has the outcome it has.", {
  scenario: field(textOrNull, "The scenario whose rule matched."),
  scenario_asked: field(textOrNull, "The scenario requested by name, if any."),
  timeline: field(chargeRecordSchema.shape.timeline, "Its timeline at the time it matched."),
  notes: field(chargeRecordSchema.shape.notes, "Entries that came too late, names that matched nothing."),
});
export const controlChargeSchema = recordShape("ControlCharge", "A charge with its scenario and timeline.", {
  ...fieldsOf(chargeDetailSchema),
  ...pickFields(chargeRecordSchema.shape, "mode", "kind"),
  base_amount: field(text, "The price that the app asked for, without fees, in `base_currency`."),
  base_currency: text,
  sandbox: fateSchema,
  ...insight,
});
export type ControlCharge = z.infer<typeof controlChargeSchema>;
export const controlChargeListSchema = pageShape("ControlChargeList", "Charges", controlChargeSchema);

const { status } = chargeDetailSchema.shape;
const delivered = {
  delivery_id: text,
  event_id: text,
  type: text,
  webhook_id: text,
  receiver: field(text, "The receiver for people: its URL without the scheme, or its mailbox."),
};
export const chargeHistoryItemSchema = namedSchema(
  "Happening",
  "One thing that happened, by `kind`.",
  z.discriminatedUnion("kind", [
    recordShape("RequestHappening", "A call of the service.", {
      kind: z.literal("request"),
      ...fieldsOf(requestEntrySchema),
    }),
    recordShape("TransitionHappening", "A change of status.", {
      kind: z.literal("transition"),
      status,
      at: timestampSchema,
      reason: z.optional(text),
      by: causeSchema,
      match: field(z.optional(text), "The conditions of that rule, if it has any.", {
        examples: ["customer_email matches declined@*"],
      }),
    }),
    recordShape("LedgerHappening", "An entry of the ledger: signed amounts whose sum is zero.", {
      kind: z.literal("ledger"),
      ...pickFields(ledgerEntryRecordSchema.shape, "at", "entry_id", "currency", "postings"),
      posting: field(text, "What for.", { examples: ["payment", "settlement", "refund"] }),
    }),
    recordShape("EventHappening", "An event was created.", {
      kind: z.literal("event"),
      at: timestampSchema,
      ...pickFields(delivered, "event_id", "type"),
    }),
    recordShape("NoteHappening", "A note that no status shows.", {
      kind: z.literal("note"),
      ...paymentNoteRecordSchema.shape,
    }),
    recordShape("AttemptHappening", "A delivery attempt.", {
      kind: z.literal("attempt"),
      ...delivered,
      ...fieldsOf(attemptSchema),
    }),
    recordShape("HoldHappening", "A delivery that is held from then on.", {
      kind: z.literal("hold"),
      at: timestampSchema,
      ...delivered,
      reason: text,
    }),
  ]),
);
/** One item of a charge's history, in the control API, the command line and the dashboard. */
export type ChargeHistoryItem = z.infer<typeof chargeHistoryItemSchema>;
const story = {
  status,
  total: unboundedCountSchema,
  items: z.array(chargeHistoryItemSchema),
};
export const chargeStorySchema = recordShape("ChargeStory", "All that happened to a charge, in order.", {
  charge_id: text,
  traceparent: field(textOrNull, "The W3C Trace Context of the call that made it, if it had one."),
  ...story,
});
export const withdrawalStorySchema = recordShape(
  "WithdrawalStory",
  "All that happened to a withdrawal, in order.",
  { withdrawal_id: text, ...story },
);

export const controlBalanceSchema = recordShape(
  "ControlBalance",
  "What an organization holds in a currency.",
  {
    ...owner,
    currency: text,
    available_balance: field(moneySchema, "The amount that can be withdrawn or refunded."),
    pending_balance: field(moneySchema, "The amount that has yet to settle."),
    in_transit_balance: field(moneySchema, "The amount of withdrawals on their way."),
    fees_paid: field(moneySchema, "The fees of all payments and withdrawals."),
    account: field(text, "Its account in the ledger."),
  },
);
export const controlBalanceListSchema = pageShape("ControlBalanceList", "Accounts", controlBalanceSchema);
const ledgerEntrySchema = recordShape("LedgerEntry", "An entry of the ledger, as of a bank statement.", {
  ...pickFields(ledgerEntryRecordSchema.shape, "entry_id", "at", "kind", "currency", "postings"),
  ...owner,
  object_id: field(text, "The charge or withdrawal it is for."),
  before: field(text, "The available balance before it."),
  after: field(text, "The available balance after it."),
});
export const ledgerEntryListSchema = pageShape("LedgerEntryList", "Ledger entries", ledgerEntrySchema);

export const controlWithdrawalSchema = recordShape("ControlWithdrawal", "A withdrawal of any organization.", {
  ...fieldsOf(withdrawalSchema),
  mode,
  sandbox: fateSchema,
  ...insight,
});
export type ControlWithdrawal = z.infer<typeof controlWithdrawalSchema>;
export const controlWithdrawalListSchema = pageShape(
  "ControlWithdrawalList",
  "Withdrawals",
  controlWithdrawalSchema,
);
function controlShape<Schema extends z.core.$ZodType & { readonly shape: object }>(
  name: string,
  note: string,
  schema: Schema,
) {
  return recordShape(name, note, { ...fieldsOf(schema), ...owner });
}
const ownedQuote = controlShape("ControlQuote", "A quote of any organization.", quoteSchema);
export const controlQuoteListSchema = pageShape("ControlQuoteList", "Quotes", ownedQuote);
const ownedDestination = namedSchema(
  "ControlDestination",
  "A payout destination of any organization, by `type`.",
  z.discriminatedUnion("type", [
    controlShape("ControlBankAccount", "A bank account.", bankAccountDestinationSchema),
    controlShape("ControlMobileMoney", "A mobile money wallet.", mobileMoneyDestinationSchema),
    controlShape("ControlCryptoWallet", "A crypto wallet.", cryptoWalletDestinationSchema),
  ]),
);
export const controlDestinationListSchema = pageShape(
  "ControlDestinationList",
  "Destinations",
  ownedDestination,
);

export const bookFindingSchema = recordShape("BookFinding", "Where the app's books and the ledger differ.", {
  kind: field(
    z.enum(BOOK_FINDING_KINDS),
    `${BOOK_FINDING_KINDS.map((kind) => `\`${kind}\`: ${BOOK_FINDING_MESSAGES[kind]}`).join("; ")}.`,
  ),
  row: field(z.nullable(unboundedCountSchema), "The row, from 1; null if no row refers to the charge."),
  charge_id: field(textOrNull, "The charge, or the unknown id that the row names; null if it names none."),
  order: field(z.nullable(z.record(text, text)), "The `metadata.KEY` of the row or of the charge, if known."),
  message: field(text, "The difference in one line."),
});
/** A difference between the app's books and the ledger. */
export type BookFinding = DeepReadonly<z.infer<typeof bookFindingSchema>>;
export const bookReportSchema = recordShape("BookReport", "The app's books compared with the ledger.", {
  passed: field(z.boolean(), "Whether there are no findings."),
  rows: field(unboundedCountSchema, "How many rows there were."),
  charges: field(unboundedCountSchema, "How many charges were compared."),
  compared: field(textList, "The fields the rows had; others could not be compared."),
  total: field(unboundedCountSchema, "How many findings there are."),
  findings: field(z.array(bookFindingSchema), "By row; the first 1,000."),
});
/** The app's books compared with the ledger. */
export type BookReport = DeepReadonly<z.infer<typeof bookReportSchema>>;

const waitedChargeSchema = recordShape("WaitedCharge", "The charge that was waited for.", {
  ...fieldsOf(chargeDetailSchema),
  mode,
});
const idleSchema = recordShape("Idle", "Nothing is due and nothing is in flight.", {
  idle: z.literal(true),
  now: timestampSchema,
});
export const waitResultSchema = namedSchema(
  "WaitResult",
  "The newest matching record (a charge, request or delivery), or that the namespace is idle.",
  z.union([waitedChargeSchema, requestEntrySchema, deliverySchema, idleSchema]),
);

export const leaseSchema = recordShape("Lease", "The run that holds the namespace.", {
  namespace: text,
  run: text,
  held: z.boolean(),
});

const failedTest = {
  failed_test_id: field(unboundedCountSchema, "Counts up with each."),
  test: field(text, "Its name."),
  namespace: field(text, "Its namespace; it may have been deleted since."),
  at: field(timestampSchema, "When, in sandbox time."),
};
export const failedTestSchema = shape("FailedTest", "A test that failed.", failedTest);
export type FailedTest = z.infer<typeof failedTestSchema>;
export const failedTestListSchema = shape("FailedTestList", "Tests that failed.", {
  ...fieldsOf(pageShape("FailedTestPage", "Tests", failedTestSchema)),
  left_out: field(
    unboundedCountSchema,
    "How many more tests failed without being recorded, because the limit was reached.",
  ),
});
const storiesSchema = shape("Stories", "What happened to the charges.", {
  charges: field(unboundedCountSchema, "How many charges there were."),
  not_in_order: field(
    unboundedCountSchema,
    "How many were not paid, or have a webhook that was not accepted.",
  ),
  items: field(
    z.array(
      shape("Story", "What happened to a charge.", {
        charge: field(z.record(z.string(), z.unknown()), "The charge."),
        is_in_order: field(z.boolean(), "Whether it was paid and its webhooks accepted."),
        items: field(z.array(chargeHistoryItemSchema), "What happened to it, in order."),
      }),
    ),
    "Those not in order first, then the newest; 500 at most.",
  ),
});
export const failedTestDetailSchema = shape("FailedTestDetail", "What happened in a test that failed.", {
  ...failedTest,
  requests: field(requestListSchema, "The app's requests and the responses."),
  events: field(eventListSchema, "The webhooks for its receivers."),
  deliveries: field(deliveryListSchema, "The deliveries of those webhooks."),
  coverage: field(coverageSchema, "What the app had met."),
  advice: field(adviceListSchema, "What it did against the service's advice."),
  stories: field(storiesSchema, "What happened to each charge."),
});

export const ratesSchema = recordShape("Rates", "Units of each currency for one US dollar.", {
  rates: z.record(text, text),
});

const missed = recordShape("StreamMissed", "Messages dropped for a slow reader.", {
  count: unboundedOrdinalSchema,
});
/** Name of the server-sent event → its `data`. */
export const STREAM_SCHEMAS = {
  hello: recordShape("StreamHello", "The stream.", { namespace: text, now: timestampSchema }),
  request: requestEntrySchema,
  charge: recordShape("StreamCharge", "A charge was created or has changed.", {
    ...pickFields(
      fieldsOf(chargeDetailSchema),
      "charge_id",
      "status",
      "amount",
      "currency",
      "updated_at",
      "customer_email",
    ),
  }),
  event: eventSchema,
  delivery: deliverySchema,
  clock: clockSchema,
  missed,
  news: recordShape("StreamNews", "With `view=light`, instead of all others: what has changed.", {
    now: timestampSchema,
    counts: field(
      z.record(text, unboundedCountSchema),
      "How many changes of each kind there were since the previous message.",
      { examples: [{ charge: 12, delivery: 30 }] },
    ),
    items: field(
      z.array(
        recordShape("StreamChanged", "Something that has changed.", {
          kind: field(text, "The kind of record.", {
            examples: ["charge", "withdrawal", "event", "delivery", "receiver", "fault", "request", "clock"],
          }),
          id: text,
          status: textOrNull,
        }),
      ),
      "Each object once; the first 100.",
    ),
  }),
} as const;
