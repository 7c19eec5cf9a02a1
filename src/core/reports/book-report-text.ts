import type { BookFinding, BookReport } from "../schema/control-responses.js";
import { formatCount } from "../schema/text-format.js";

const MAX_LINES = 20;

/** Summarizes a report: one line with the counts, and a line for each difference. */
export function describeDifferences({ total, rows, charges, findings }: BookReport): {
  readonly message: string;
  readonly differences: readonly string[];
} {
  const more = total > MAX_LINES ? [`${total - MAX_LINES} more`] : [];
  return {
    message: `the app's books and the ledger differ in ${formatCount(total, "place")} (${formatCount(rows, "row")}, ${formatCount(charges, "charge")})`,
    differences: [...findings.slice(0, MAX_LINES).map(findingText), ...more],
  };
}

function findingText({ kind, row, charge_id, message }: BookFinding): string {
  const where = row === null ? "" : `row ${row}: `;
  return `${where}${kind}, ${charge_id === null ? "" : `${charge_id}, `}${message}`;
}
