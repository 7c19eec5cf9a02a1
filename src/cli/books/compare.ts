import { parseBooks } from "../../core/domain/books/parse-books.js";
import type { BookReport } from "../../core/schema/reconciliation.js";
import { SandboxError } from "../../core/schema/sandbox-error.js";
import { UserError } from "../../core/schema/user-error.js";
import type { ReconcileOptions } from "../../public-types.js";

/** Compares the app's output with the ledger. @throws UserError with the line that cannot be parsed */
export async function compareRecords(
  text: string,
  source: string,
  reading: ReconcileOptions,
  post: (body: object) => Promise<BookReport>,
): Promise<BookReport> {
  const { rows, lines } = parseBooks(text, source);
  try {
    return await post({ ...reading, rows });
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const [fault] = Object.entries(error.details ?? {});
    const [, index, field] = /^rows\.(\d+)\.?(.*)$/.exec(fault?.[0] ?? "") ?? [];
    if (index === undefined) throw error;
    throw new UserError(`${source}, line ${lines[Number(index)]}: ${field} ${fault![1]}`);
  }
}
