import { type BookFinding, type BookReport, FINDING_KINDS } from "../../schema/books.js";
import { counted } from "../../schema/printable.js";
import { type Paint, plain } from "../paint.js";
import { wrapped } from "../wrapped.js";

const KIND_WIDTH = Math.max(...FINDING_KINDS.map((kind) => kind.length));
const INDENT = 8;

/** What an app's books and the ledger differ in, for people, in lines of so many characters. */
export function booksLines(report: BookReport, width: number, paint: Paint = plain): string[] {
  const { rows, charges, compared, total, findings, passed } = report;
  const head = `${counted(rows, "row")} compared with ${counted(charges, "charge")}`;
  if (rows === 0 && charges === 0) return [paint("yellow", `${head}: nothing was compared`)];
  const scope = compared.length === 0 ? "" : `; compared: ${compared.join(", ")}`;
  if (passed) return [`${paint("green", "✓")} ${head}: no difference${scope}`];
  const more = total - findings.length;
  return [
    `${paint("red", "✗")} ${head}: ${counted(total, "finding")}${scope}`,
    `${"row".padStart(5)}  ${"finding".padEnd(KIND_WIDTH)}  charge`,
    ...findings.flatMap((finding) => findingLines(finding, width, paint)),
    ...(more > 0 ? [`${" ".repeat(INDENT)}… ${more} more`] : []),
  ];
}

function findingLines({ kind, row, charge_id, order, message }: BookFinding, width: number, paint: Paint) {
  const head = `${String(row ?? "-").padStart(5)}  ${paint("red", kind.padEnd(KIND_WIDTH))}  ${charge_id ?? "-"}`;
  return [head, ...wrapped(`${orderText(order)}${message}`, INDENT, width)];
}

/** The app's name for an order, to be put before what is said of it. */
export function orderText(order: BookFinding["order"]): string {
  const parts = Object.entries(order ?? {}).map(([key, value]) => `${key} ${value}`);
  return parts.length === 0 ? "" : `${parts.join(", ")}: `;
}
