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
