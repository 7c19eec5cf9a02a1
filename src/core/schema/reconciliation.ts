import * as z from "zod/mini";
import { CHARGE_STATUSES, modeSchema } from "./common.js";
import { instantSchema } from "./control-requests.js";
import { closedShape, field, markdownCodeList, schemasOf } from "./descriptions.js";
import { entriesAtMost, minLength } from "./schema-checks.js";
import { CHARGE_STATUS_TABLE } from "./statuses.js";

export const MARKINGS = ["paid", "unpaid", "refunded"] as const;
/** Meaning of a status in the app's books. */
export type Marking = (typeof MARKINGS)[number];
/** Meaning of the status words that apps commonly use. Includes the statuses of a charge. */
export const STATUS_WORDS: Readonly<Record<string, Marking>> = {
  paid: "paid",
  complete: "paid",
  succeeded: "paid",
  success: "paid",
  successful: "paid",
  settled: "paid",
  captured: "paid",
  done: "paid",
  unpaid: "unpaid",
  new: "unpaid",
  created: "unpaid",
  open: "unpaid",
  waiting: "unpaid",
  declined: "unpaid",
  rejected: "unpaid",
  error: "unpaid",
  canceled: "unpaid",
  abandoned: "unpaid",
  ...Object.fromEntries(
    CHARGE_STATUSES.map((status) => {
      const { stage } = CHARGE_STATUS_TABLE[status];
      return [status.toLowerCase(), stage === "paid" || stage === "refunded" ? stage : "unpaid"];
    }),
  ),
  reversed: "refunded",
};

export function statusWordsOf(marking: Marking): string[] {
  return Object.entries(STATUS_WORDS).flatMap(([word, means]) => (means === marking ? [word] : []));
}

/** Differences between an app's books and the ledger, in the order of reports. */
export const BOOK_FINDING_MESSAGES = {
  paid_not_marked: "paid, but not marked as paid by the app",
  marked_not_paid: "not paid, but marked as paid or delivered by the app",
  amount_differs: "another amount or currency than the charge's",
  paid_twice: "more than one completed charge for one order",
  delivered_twice: "delivered more than once",
  refunded_and_delivered: "refunded, and delivered after that",
  unknown_charge: "there is no such charge",
} as const;
/** A kind of difference between an app's books and the ledger. */
export type FindingKind = keyof typeof BOOK_FINDING_MESSAGES;
export const BOOK_FINDING_KINDS = Object.keys(BOOK_FINDING_MESSAGES) as FindingKind[];

/** Fields of a row, besides `metadata.KEY`. */
export const BOOK_ROW_FIELDS = [
  ...(["charge_id", "status", "amount", "currency", "price"] as const),
  ...(["delivered", "delivered_at"] as const),
];
export const METADATA_FIELD_PREFIX = "metadata.";

export function isBookRowField(name: string): boolean {
  return (
    (BOOK_ROW_FIELDS as readonly string[]).includes(name) ||
    (name.startsWith(METADATA_FIELD_PREFIX) && name.length > METADATA_FIELD_PREFIX.length)
  );
}

const rowOptions = {
  map: field(
    z.optional(
      z.record(
        z
          .string()
          .check(
            z.refine(
              isBookRowField,
              `must be one of ${BOOK_ROW_FIELDS.join(", ")} and ${METADATA_FIELD_PREFIX}KEY`,
            ),
          ),
        z.string().check(minLength(1, "must not be empty")),
      ),
    ),
    "Where each field is in a row, as a dotted path; by default under its own name.",
    { examples: [{ charge_id: "payment.id", status: "state", "metadata.order_id": "id" }] },
  ),
  statuses: field(
    z.optional(z.record(z.string(), z.enum(MARKINGS, `must be one of ${MARKINGS.join(", ")}`))),
    `The app's status words: ${markdownCodeList(MARKINGS)}. Known words: ${MARKINGS.map((name) => `${name} (${statusWordsOf(name).join(", ")})`).join("; ")}. Case, spaces and dashes are ignored.`,
    { examples: [{ BEZAHLT: "paid" }] },
  ),
  partial: field(
    z.optional(z.boolean()),
    "The rows are only part of the app's orders: a paid charge without a row is not a finding.",
  ),
};
/** Options of the `reconcile` step. The rows are not an option: the step reads the rows from the app. */
export const bookRowOptionsShape = schemasOf(rowOptions);

const MAX_BOOK_ROWS = 100_000;

export const reconcileRequestSchema = closedShape(
  "ReconcileRequest",
  "The app's own view of its payments, to be compared with the ledger.",
  {
    rows: field(
      z.array(z.record(z.string(), z.unknown())).check(entriesAtMost(MAX_BOOK_ROWS)),
      "One row per order: `charge_id` or `metadata.KEY` identify it, `status` is the app's view; `amount` and `currency` (what the customer pays, with fees), `price` (without fees), `delivered` (how often) and `delivered_at` (the last time, in sandbox time) are optional. Other fields are ignored.",
      {
        examples: [[{ charge_id: "ch_0", status: "paid", amount: "512.50", currency: "KES", delivered: 1 }]],
      },
    ),
    ...rowOptions,
    since: field(
      z.optional(instantSchema),
      "Charges created earlier are checked only if a row refers to them.",
    ),
    mode: field(z.optional(modeSchema), "The mode of the charges; by default the key's, else test."),
  },
);
export type ReconcileRequest = z.infer<typeof reconcileRequestSchema>;
