import * as z from "zod/mini";
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

/** What the control API answers of what is due, and of quotes and destinations whoever's they are. */
const text = z.string();
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
