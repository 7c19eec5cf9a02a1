import type { BookFinding, BookReport } from "../schema/books.js";
import { counted } from "../schema/printable.js";

/** So many differences are told. */
const MOST_TOLD = 20;

/** What an app's books and the ledger differ in: a line that says how much, and a line each difference. */
export function differencesText({ total, rows, charges, findings }: BookReport): {
  readonly message: string;
  readonly differences: readonly string[];
} {
  const more = total > MOST_TOLD ? [`${total - MOST_TOLD} more`] : [];
  return {
    message: `the app's books and the ledger differ in ${counted(total, "place")} (${counted(rows, "row")}, ${counted(charges, "charge")})`,
    differences: [...findings.slice(0, MOST_TOLD).map(findingText), ...more],
  };
}

function findingText({ kind, row, charge_id, message }: BookFinding): string {
  const where = row === null ? "" : `row ${row}: `;
  return `${where}${kind}, ${charge_id === null ? "" : `${charge_id}, `}${message}`;
}
