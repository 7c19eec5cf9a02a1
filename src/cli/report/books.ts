import type { BookFinding, BookReport } from "../../core/schema/control-responses.js";
import { BOOK_FINDING_KINDS, BOOK_FINDING_MESSAGES } from "../../core/schema/reconciliation.js";
import { formatCount } from "../../core/schema/text-format.js";
import type { Report, ReportCase } from "./report.js";

/** Report of `reconcile`: a case per kind of finding, and each finding with its row and charge. */
export function reportOfReconciliation({
  rows,
  charges,
  compared,
  total,
  findings,
  passed,
}: BookReport): Report {
  const isEmpty = rows === 0 && charges === 0;
  const result = isEmpty ? "nothing was compared" : passed ? "no difference" : formatCount(total, "finding");
  const scope = isEmpty || compared.length === 0 ? "" : `; compared: ${compared.join(", ")}`;
  const more = total - findings.length;
  return {
    name: "reconcile",
    group: "reconcile",
    verdict: isEmpty ? "note" : passed ? "passed" : "failed",
    heading: `${formatCount(rows, "row")} compared with ${formatCount(charges, "charge")}: ${result}${scope}`,
    cases: BOOK_FINDING_KINDS.map((kind): ReportCase => {
      const found = findings.filter((finding) => finding.kind === kind);
      if (found.length === 0) return { name: kind, outcome: "passed" };
      return {
        name: kind,
        outcome: "failed",
        message: `${found.length} × ${BOOK_FINDING_MESSAGES[kind]}`,
        type: kind,
        details: found.map((finding) => [placeOf(finding), orderText(finding)]),
      };
    }),
    findings: findings.map((finding) => ({
      name: finding.kind,
      outcome: "failed",
      message: `${placeOf(finding)}: ${orderText(finding)}`,
    })),
    notes: more > 0 ? [`${more} more`] : [],
  };
}

function placeOf({ row, charge_id }: BookFinding): string {
  return `${row === null ? "no row" : `row ${row}`}, ${charge_id ?? "no charge"}`;
}

/** Prepends the order's fields to the finding's message, as in `order_id 1042: …`. */
function orderText({ order, message }: BookFinding): string {
  const parts = Object.entries(order ?? {}).map(([key, value]) => `${key} ${value}`);
  return parts.length === 0 ? message : `${parts.join(", ")}: ${message}`;
}
