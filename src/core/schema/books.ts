import * as z from "zod/mini";
import { modeSchema } from "./common.js";
import { instantSchema } from "./control.js";
import { entriesAtMost, minLength } from "./lengths.js";
import { closedShape, field, inWords } from "./words.js";

/** The words apps have for a status, by what it means for the money. */
export const MARKINGS = {
  paid: [
    "paid",
    "completed",
    "complete",
    "succeeded",
    "success",
    "successful",
    "settled",
    "captured",
    "done",
  ],
  unpaid: [
    "unpaid",
    "new",
    "created",
    "open",
    "pending",
    "waiting",
    "awaiting_payment",
    "processing",
    "failed",
    "declined",
    "rejected",
    "error",
    "cancelled",
    "canceled",
    "abandoned",
    "expired",
  ],
  refunded: ["refunded", "reversed"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
/** What a status of the app's own means for the money. */
export type Marking = keyof typeof MARKINGS;
const MARKING_NAMES = Object.keys(MARKINGS) as Marking[];

/** What is found where an app's books and the ledger differ, in the order it is told. */
export const FINDINGS = {
  paid_not_marked: "paid, but not marked as paid by the app",
  marked_not_paid: "not paid, but marked as paid or delivered by the app",
  amount_differs: "another amount or currency than the charge's",
  paid_twice: "more than one completed charge for one order",
  delivered_twice: "delivered more than once",
  refunded_and_delivered: "refunded, but delivered",
  unknown_charge: "there is no such charge",
} as const;
/** Where an app's books and the ledger can differ. */
export type FindingKind = keyof typeof FINDINGS;
export const FINDING_KINDS = Object.keys(FINDINGS) as FindingKind[];

/** Where the app's books and the ledger differ. */
export interface BookFinding {
  /** What differs. */
  readonly kind: FindingKind;
  /** The row, from 1; null if no row refers to the charge. */
  readonly row: number | null;
  /** The charge; null if there is none. */
  readonly charge_id: string | null;
  /** How the app calls it, where that is known: the metadata of the row or of the charge. */
  readonly order: Readonly<Record<string, string>> | null;
  /** In a line. */
  readonly message: string;
}

/** The app's books compared with the ledger. */
export interface BookReport {
  /** Whether there are no findings. */
  readonly passed: boolean;
  /** How many rows there were. */
  readonly rows: number;
  /** How many charges were compared. */
  readonly charges: number;
  /** The fields the rows had; others could not be compared. */
  readonly compared: readonly string[];
  /** How much was found. */
  readonly total: number;
  /** The findings, by row; the first 1,000. */
  readonly findings: readonly BookFinding[];
}

/** What a row may say besides `metadata.KEY`. */
export const ROW_FIELDS = ["charge_id", "status", "amount", "currency", "delivered"] as const;
export const METADATA_FIELD = "metadata.";

export function isRowField(name: string): boolean {
  return (
    (ROW_FIELDS as readonly string[]).includes(name) ||
    (name.startsWith(METADATA_FIELD) && name.length > METADATA_FIELD.length)
  );
}

/** How rows are to be read. */
const reading = {
  map: field(
    z.optional(
      z.record(
        z
          .string()
          .check(z.refine(isRowField, `must be one of ${ROW_FIELDS.join(", ")} and ${METADATA_FIELD}KEY`)),
        z.string().check(minLength(1, "must not be empty")),
      ),
    ),
    {
      says: "Where each field is in a row, as a dotted path; by default under its own name.",
      examples: [{ charge_id: "payment.id", status: "state", "metadata.order_id": "id" }],
    },
  ),
  statuses: field(
    z.optional(z.record(z.string(), z.enum(MARKING_NAMES, `must be one of ${MARKING_NAMES.join(", ")}`))),
    {
      says: `The app's own words: ${inWords(MARKING_NAMES)}. Known without: ${MARKING_NAMES.map((name) => `${name} (${MARKINGS[name].join(", ")})`).join("; ")}. Case, spaces and dashes are ignored.`,
      examples: [{ BEZAHLT: "paid" }],
    },
  ),
  partial: field(
    z.optional(z.boolean()),
    "The rows are only part of the app's orders: a paid charge without a row is not a finding.",
  ),
};
/** How rows are to be read, as a step says it beside its call of the app. */
export const readingShape = {
  map: reading.map.schema,
  statuses: reading.statuses.schema,
  partial: reading.partial.schema,
};

/** So many rows at most. */
export const MOST_ROWS = 100_000;

export const reconcileRequestSchema = closedShape(
  "ReconcileRequest",
  "The app's own view of its payments, to be compared with the ledger.",
  {
    rows: field(z.array(z.record(z.string(), z.unknown())).check(entriesAtMost(MOST_ROWS)), {
      says: "One row per order: `charge_id` or `metadata.KEY` identify it, `status` is the app's view; `amount`, `currency` and `delivered` (how often) are optional. Other fields are ignored.",
      examples: [[{ charge_id: "ch_0", status: "paid", amount: "512.50", currency: "KES", delivered: 1 }]],
    }),
    ...reading,
    since: field(
      z.optional(instantSchema),
      "Charges created earlier are checked only if a row refers to them.",
    ),
    mode: field(z.optional(modeSchema), "The mode of the charges; by default the key's, else test."),
  },
);
export type ReconcileRequest = z.infer<typeof reconcileRequestSchema>;
