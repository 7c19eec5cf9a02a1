import { reconcile } from "../../domain/books/reconcile.js";
import { type RowFault, readRows } from "../../domain/books/rows.js";
import { reconcileRequestSchema } from "../../schema/books.js";
import { invalid } from "../../schema/errors.js";
import { controlOperation } from "./operation.js";

const MAX_BYTES = 32 * 1024 * 1024;
/** So much of what was found is told. */
const MOST_TOLD = 1_000;
const MOST_FAULTS = 20;

/** What the app believes, held against what the ledger knows. */
export const BOOKS = [
  controlOperation(
    {
      id: "reconcile",
      method: "POST",
      path: "/_sandbox/reconcile",
      body: reconcileRequestSchema,
      maxBodyBytes: MAX_BYTES,
      reads: true,
      answer: "BookReport",
      says: {
        summary: "Hold the app's books against the ledger",
        about:
          "What is paid and not marked, marked and not paid, of another amount, paid or delivered twice, refunded and delivered, or not there at all. Rows that cannot be understood are refused, each by its number.",
      },
    },
    ({ namespace: { engine }, body, mode: ofKey }) => {
      const read = readRows(body.rows, body);
      if (!("rows" in read)) return unreadable(read);
      const { mode = ofKey, since, partial } = body;
      const sinceMs = since === undefined ? 0 : Date.parse(since);
      const charges = [...engine.state.tables.charges.values()].filter((charge) => charge.mode === mode);
      const found = reconcile(
        read.rows,
        charges,
        ({ created_at }) => partial !== true && Date.parse(created_at) >= sinceMs,
      );
      return {
        passed: found.length === 0,
        rows: read.rows.length,
        charges: charges.length,
        compared: read.compared,
        total: found.length,
        findings: found.slice(0, MOST_TOLD),
      };
    },
  ),
];

function unreadable(faults: readonly RowFault[]) {
  const told = faults
    .slice(0, MOST_FAULTS)
    .map(({ index, field, message }) => [`rows.${index}.${field}`, `${message} (row ${index + 1})`]);
  return invalid(Object.fromEntries(told), "Rows that cannot be understood");
}
