import * as z from "zod/mini";
import { ACTORS, timestampSchema } from "./common.js";
import { unboundedCountSchema, unboundedOrdinalSchema } from "./control-log-responses.js";
import { field, fieldsOf, recordShape } from "./descriptions.js";
import { taskRecordSchema } from "./records/namespace-records.js";
import { type DeepReadonly, text, textList, textOrNull } from "./records/record-fields.js";

/*
 * The control API's words about payments, receivers, calls and time: why it is so, what is wrong, and what comes next.
 */

const timeOrNull = z.nullable(timestampSchema);

export const causeSchema = recordShape("Cause", "Who caused a change of status.", {
  actor: field(
    z.enum(ACTORS),
    "`api`: a call of the service. `scenario`: an entry of a timeline. `clock`: it expired. `customer`: on the hosted page. `control`: the control API, a command or the dashboard.",
  ),
  scenario: textOrNull,
  rule: field(textOrNull, "Its rule, by the name it has in the scenario's `applied`.", {
    examples: ["charges.1"],
  }),
});

export const whySchema = recordShape("Why", "Why a payment has its status.", {
  sentence: text,
  ...fieldsOf(causeSchema),
});
export type Why = z.infer<typeof whySchema>;

const commandField = field(textOrNull, "The command that does it, if there is one.", {
  examples: ["npx payments-sandbox charge ch_0123 complete"],
});
export const nextStepSchema = recordShape("NextStep", "What comes next, or what to do now.", {
  sentence: text,
  at: field(timeOrNull, "When it happens by itself; null if it waits for someone."),
  command: commandField,
});
export type NextStep = z.infer<typeof nextStepSchema>;

export const webhookCountsSchema = recordShape(
  "WebhookCounts",
  "Deliveries of a payment's webhooks by state.",
  {
    delivered: unboundedCountSchema,
    failing: field(unboundedCountSchema, "Tried and not accepted; another attempt is due."),
    held: field(unboundedCountSchema, "Waiting for their receiver."),
    given_up: field(unboundedCountSchema, "Not accepted, and not tried again."),
  },
);
export type WebhookCounts = z.infer<typeof webhookCountsSchema>;

const attentionItemSchema = recordShape("Attention", "Something that is wrong.", {
  kind: z.enum(["receiver_failing", "call_refused", "receiver_held", "payment_stuck"]),
  sentence: text,
  count: field(unboundedOrdinalSchema, "How many deliveries, calls or payments."),
  since: timestampSchema,
  object: field(text, "The receiver, the newest of the calls, or the newest of the payments."),
  mend: recordShape("Mend", "How to mend it.", {
    sentence: text,
    command: commandField,
    operation: field(textOrNull, "The operation that does it, called with `object`, if there is one."),
  }),
});
export type Attention = z.infer<typeof attentionItemSchema>;
export const attentionListSchema = recordShape(
  "AttentionList",
  "What is wrong with payments, receivers and calls, worst first.",
  {
    total: unboundedCountSchema,
    items: z.array(attentionItemSchema),
  },
);
export type AttentionList = z.infer<typeof attentionListSchema>;

const firedSchema = recordShape("Fired", "A task that ran.", {
  at: timestampSchema,
  task: taskRecordSchema.shape.kind,
  ref: field(text, "The charge, withdrawal or delivery it was about."),
});
const happenedSchema = recordShape("Happened", "What happened while time was advanced.", {
  at: timestampSchema,
  kind: field(text, "One of `counts`."),
  id: field(text, "The charge, the withdrawal, or the delivery of a webhook."),
  object: field(textOrNull, "For a webhook: the charge or withdrawal it is about."),
  type: field(textOrNull, "For a webhook: the type of its event."),
  receiver: field(textOrNull, "For a webhook: the receiver, for people."),
  error: field(textOrNull, "Why it failed: the reason of a status, or the failure of an attempt."),
});
export type Happened = z.infer<typeof happenedSchema>;
export const advanceReportSchema = recordShape("AdvanceReport", "How far the clock moved.", {
  from: timestampSchema,
  to: timestampSchema,
  fired: field(z.array(firedSchema), "The tasks that ran, in order; the first 1,000."),
  fired_total: unboundedCountSchema,
  counts: field(
    z.record(text, unboundedOrdinalSchema),
    "How often each thing happened: a type of event, `settlement`, `webhook.delivered`, `webhook.failed`.",
    { examples: [{ "charge.completed": 3, "webhook.delivered": 2, "webhook.failed": 1 }] },
  ),
  first: field(z.array(happenedSchema), "The first 20 of these, in order."),
  failures: field(z.array(happenedSchema), "The first 20 webhooks that failed."),
  quiet: z.optional(
    recordShape("QuietWaits", "How the app became still after webhooks; present with `quiet`.", {
      waits: unboundedCountSchema,
      calls: field(unboundedCountSchema, "Calls of the app that arrived or ended during the waits."),
      longest_ms: field(
        unboundedCountSchema,
        "The longest time from the last response to a webhook to the app's last call, in wall time.",
      ),
      restless: field(
        unboundedCountSchema,
        "Waits that ended, after ten times `quiet`, before the app was still.",
      ),
    }),
  ),
  retry: z.optional(
    recordShape("RetryWaits", "The app's calls after failed ones; present with `retry`.", {
      calls: field(unboundedCountSchema, "Calls after one that a fault made to fail."),
      longest_ms: field(unboundedCountSchema, "The longest wall time from a failed call to the next."),
      in_vain: field(unboundedCountSchema, "Waits that ended without a call."),
    }),
  ),
});
/** Result of an advance. */
export type AdvanceReport = DeepReadonly<z.infer<typeof advanceReportSchema>>;
const coveredSchema = recordShape("Covered", "How often each was met, and those that were not.", {
  met: z.record(text, unboundedOrdinalSchema),
  not_met: textList,
});
export const coverageSchema = recordShape("Coverage", "What the app has met, and what it has not.", {
  operations: coveredSchema,
  statuses: coveredSchema,
  events: coveredSchema,
  error_codes: coveredSchema,
  mishaps: field(
    coveredSchema,
    "`duplicate`, `out_of_order`: an event came twice, or after a later one; `response_lost`: a response was lost; `retry`: a delivery was retried; `paid_late`: a charge was paid after it had expired.",
  ),
});

const adviceSchema = recordShape("Advice", "Something the app did against the service's advice.", {
  id: field(text, "The name of the habit."),
  advice: field(text, "What the app should do."),
  why: field(text, "What it did."),
  times: unboundedOrdinalSchema,
  example: field(text, "The last time."),
  docs: field(text, "Where to read more in the docs of the package."),
});
export const adviceListSchema = recordShape("AdviceList", "What the app did against the service's advice.", {
  total: unboundedCountSchema,
  items: z.array(adviceSchema),
});
export type AdviceList = z.infer<typeof adviceListSchema>;
