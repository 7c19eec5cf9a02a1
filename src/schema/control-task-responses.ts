import * as z from "zod/mini";
import { FINDING_KINDS, FINDINGS } from "./books.js";
import { modeSchema, timestampSchema } from "./common.js";
import { pageOf } from "./control-log-responses.js";
import { TASK_KINDS } from "./records/world.js";
import {
  bankAccountDestinationSchema,
  cryptoWalletDestinationSchema,
  mobileMoneyDestinationSchema,
  quoteSchema,
} from "./responses.js";
import { field, fieldsOf, named, shape } from "./words.js";

/** Responses of the control API about scheduled tasks, possible next steps, the app's books, and quotes and destinations of all organizations. */
const text = z.string();
const count = z.int().check(z.gte(0));
const owner = {
  mode: field(modeSchema, "Test or live."),
  organization_id: field(text, "Whose it is."),
};

export const taskSchema = shape("Task", "A scheduled task.", {
  task_id: field(z.int(), "The task."),
  kind: field(
    z.enum(TASK_KINDS),
    "An expiry, an entry of a timeline, a settlement, a withdrawal step, or a delivery attempt.",
  ),
  due_at: field(timestampSchema, "When, in sandbox time."),
  id: field(text, "The charge, withdrawal or delivery it is about."),
  to: field(z.nullable(text), "The status it leads to; null for a settlement and an attempt."),
  event_type: field(z.nullable(text), "For an attempt: the event being delivered; null otherwise."),
  webhook_id: field(z.nullable(text), "For an attempt: the receiver; null otherwise."),
});
export const taskListSchema = pageOf("TaskList", "Tasks", taskSchema, "earliest first");

export const nextSchema = shape("Next", "Something that can happen next.", {
  kind: field(
    z.enum(["task", "delivery", "transition"]),
    "A scheduled task, a waiting delivery, or a possible next status of a charge or withdrawal.",
  ),
  id: field(text, "The charge, withdrawal or delivery."),
  at: field(z.nullable(timestampSchema), "When it is due; null if no time is set."),
  what: field(
    text,
    "The task (`expire`, `timeline`, `settle`, `withdrawal`), the event, or the current status.",
  ),
  to: field(z.array(text), "The status a task leads to, or the possible next statuses of a transition."),
});
export const nextListSchema = pageOf(
  "NextList",
  "What can happen next",
  nextSchema,
  "scheduled tasks and deliveries first, in time order",
);

export const controlQuoteSchema = shape("ControlQuote", "A quote of any organization.", {
  ...fieldsOf(quoteSchema),
  ...owner,
});
export const controlQuoteListSchema = pageOf("ControlQuoteList", "Quotes", controlQuoteSchema);

export const controlDestinationSchema = named(
  "ControlDestination",
  "A payout destination of any organization; `type` is the variant.",
  z.discriminatedUnion("type", [
    shape("ControlBankAccount", "A bank account.", { ...fieldsOf(bankAccountDestinationSchema), ...owner }),
    shape("ControlMobileMoney", "A mobile money wallet.", {
      ...fieldsOf(mobileMoneyDestinationSchema),
      ...owner,
    }),
    shape("ControlCryptoWallet", "A crypto wallet.", {
      ...fieldsOf(cryptoWalletDestinationSchema),
      ...owner,
    }),
  ]),
);
export const controlDestinationListSchema = pageOf(
  "ControlDestinationList",
  "Destinations",
  controlDestinationSchema,
);

export const bookFindingSchema = shape("BookFinding", "Where the app's books and the ledger differ.", {
  kind: field(
    z.enum(FINDING_KINDS),
    `${FINDING_KINDS.map((kind) => `\`${kind}\`: ${FINDINGS[kind]}`).join("; ")}.`,
  ),
  row: field(z.nullable(count), "The row, from 1; null if no row refers to the charge."),
  charge_id: field(z.nullable(text), "The charge; null if there is none."),
  order: field(
    z.nullable(z.record(text, text)),
    "The app's own reference, if known: the `metadata.KEY` of the row or of the charge.",
  ),
  message: field(text, "In a line."),
});

export const bookReportSchema = shape("BookReport", "The app's books compared with the ledger.", {
  passed: field(z.boolean(), "Whether there are no findings."),
  rows: field(count, "How many rows there were."),
  charges: field(count, "How many charges were compared."),
  compared: field(z.array(text), "The fields the rows had; others could not be compared."),
  total: field(count, "How much was found."),
  findings: field(z.array(bookFindingSchema), "The findings, by row; the first 1,000."),
});
