import { parseRows, type RowFault } from "../../core/domain/books/parse-books.js";
import { reconcileAppRows } from "../../core/domain/books/reconcile.js";
import type { Charge } from "../../core/domain/charge-transition.js";
import { metadataCondition } from "../../core/engine/match-fields.js";
import type { State } from "../../core/engine/state.js";
import type { Mode } from "../../core/schema/common.js";
import { reconcileRequestSchema } from "../../core/schema/reconciliation.js";
import { refuseInvalid } from "../../core/schema/refusals.js";
import { isPaid } from "../../core/schema/statuses.js";
import { defineControlOperation } from "./control-operation.js";

const MAX_BYTES = 32 * 1024 * 1024;
/** Maximum numbers of findings and of faulty rows in a response. */
const FINDINGS_MAX = 1_000;
const ROW_FAULTS_MAX = 20;

export const RECONCILIATION_OPERATIONS = [
  defineControlOperation({
    id: "reconcile",
    call: "POST /_sandbox/reconcile",
    summary: "Reconcile the app's books",
    description: "Compares the app's orders with the ledger. Invalid rows are rejected, each by its number.",
    input: reconcileRequestSchema,
    maxBodyBytes: MAX_BYTES,
    runsDueTasks: true,
    output: "BookReport",
    example: { rows: [{ charge_id: "ch_fc604d12b8bda13e0f0fd3ec", status: "pending", delivered: 0 }] },
    run: ({ namespace, input, mode: keyMode }) => {
      const { engine } = namespace;
      const read = parseRows(input.rows, input);
      if (!("rows" in read)) return invalidRows(read);
      const { mode = keyMode, since, partial } = input;
      const { state } = engine;
      const charges = chargesOf(state, mode);
      const findings = reconcileAppRows(read.rows, {
        ...charges,
        nowMs: namespace.nowMs(),
        chargesNeedingRow: () => {
          if (partial === true) return [];
          const sinceMs = since === undefined ? 0 : Date.parse(since);
          return charges.paid().filter(({ created_at }) => Date.parse(created_at) >= sinceMs);
        },
      });
      return {
        passed: findings.length === 0,
        rows: read.rows.length,
        charges: charges.count,
        compared: read.compared,
        total: findings.length,
        findings: findings.slice(0, FINDINGS_MAX),
      };
    },
  }),
];

/** Maximum number of an order's metadata keys in an index lookup. A filter on the found charges checks all keys. */
const KEYS_LOOKED_UP = 4;

function chargesOf(state: State, mode: Mode) {
  const isOfMode = (charge: Charge) => charge.mode === mode;
  return {
    count: state.pageOfKinds("charges", isOfMode, 0, 0).total,
    byId: (chargeId: string) => {
      const charge = state.get("charges", chargeId);
      return charge !== undefined && isOfMode(charge) ? charge : undefined;
    },
    ofOrder: (order: Readonly<Record<string, string>>) => {
      const fields = Object.entries(order).map(([key, value]) => metadataCondition(key, value));
      return state
        .chargesMatching(fields.slice(0, KEYS_LOOKED_UP))
        .filter((charge) => isOfMode(charge) && fields.every(({ of, value }) => of(charge) === value));
    },
    paid: () => {
      const isPaidInMode = (charge: Charge) => isOfMode(charge) && isPaid(charge.status);
      return state.allOfKinds("charges", isPaidInMode).reverse();
    },
  };
}

function invalidRows(faults: readonly RowFault[]) {
  const details = faults
    .slice(0, ROW_FAULTS_MAX)
    .map(({ index, field, message }) => [`rows.${index}.${field}`, `${message} (row ${index + 1})`]);
  return refuseInvalid(Object.fromEntries(details), "Invalid rows");
}
