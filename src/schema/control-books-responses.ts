import * as z from "zod/mini";
import { FINDING_KINDS, FINDINGS } from "./books.js";
import { field, shape } from "./words.js";

/** What the control API answers of an app's books. */
const text = z.string();
const count = z.int().check(z.gte(0));

export const bookFindingSchema = shape("BookFinding", "Where the app's books and the ledger differ.", {
  kind: field(
    z.enum(FINDING_KINDS),
    `${FINDING_KINDS.map((kind) => `\`${kind}\`: ${FINDINGS[kind]}`).join("; ")}.`,
  ),
  row: field(z.nullable(count), "The row that says so, from 1; null where no row speaks of the charge."),
  charge_id: field(z.nullable(text), "The charge; null where there is none."),
  order: field(
    z.nullable(z.record(text, text)),
    "How the app calls it, where that is known: the `metadata.KEY` of the row or of the charge.",
  ),
  message: field(text, "In a line."),
});

export const bookReportSchema = shape("BookReport", "The app's books, held against the ledger.", {
  passed: field(z.boolean(), "Whether nothing was found."),
  rows: field(count, "How many rows there were."),
  charges: field(count, "How many charges they were held against."),
  compared: field(z.array(text), "The fields that rows said; of the others nothing is known."),
  total: field(count, "How much was found."),
  findings: field(z.array(bookFindingSchema), "What, by row; the first 1,000."),
});
