import type { BookFinding, BookReport } from "../../core/schema/control-responses.js";
import { BOOK_FINDING_KINDS, BOOK_FINDING_MESSAGES } from "../../core/schema/reconciliation.js";
import { formatCount, groupDigits } from "../../core/schema/text-format.js";
import { isTerminal } from "../terminal.js";
import type { Report, ReportCase } from "./report.js";

/** Maximum number of findings of a kind on a terminal. */
const ALIKE_MAX = 5;

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
  const shown = BOOK_FINDING_KINDS.flatMap((kind) =>
    findings.filter((one) => one.kind === kind).slice(0, ALIKE_MAX),
  );
  const listed = isTerminal() ? shown : findings;
  const more = total - listed.length;
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
    findings: listed.map((finding) => ({
      name: finding.kind,
      outcome: "failed",
      message: `${placeOf(finding)}: ${isTerminal() ? withShownAmounts(orderText(finding)) : orderText(finding)}`,
    })),
    notes: more > 0 ? [`${more} more${listed.length < findings.length ? "; --json lists all" : ""}`] : [],
  };
}

/** Writes amounts as lists do: `NGN 1,105.10` for `1105.10 NGN`. */
function withShownAmounts(text: string): string {
  return text.replace(
    /\b(\d+\.\d+) ([A-Z][A-Z0-9_]{2,})\b/g,
    (_all, amount, currency) => `${currency} ${groupDigits(amount)}`,
  );
}

function placeOf({ row, charge_id }: BookFinding): string {
  return `${row === null ? "no row" : `row ${row}`}, ${charge_id ?? "no charge"}`;
}

/** Prepends the order's fields to the finding's message, as in `order_id 1042: …`. */
function orderText({ order, message }: BookFinding): string {
  const parts = Object.entries(order ?? {}).map(([key, value]) => `${key} ${value}`);
  return parts.length === 0 ? message : `${parts.join(", ")}: ${message}`;
}
