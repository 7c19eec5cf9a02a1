import { spawn } from "node:child_process";
import { parseBooks } from "../../core/domain/books/parse-books.js";
import type { BookReport } from "../../core/schema/reconciliation.js";
import { SandboxError } from "../../core/schema/sandbox-error.js";
import { UserError } from "../../core/schema/user-error.js";
import type { ReconcileOptions } from "../../public-types.js";

/** Compares the app's rows with the ledger. @throws UserError that names the line of an invalid row */
export async function compareAppRows(
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

const OUTPUT_MAX = 100_000_000;

/** Runs a command of the app in a shell. Returns its output. @throws UserError if it fails or prints too much */
export async function runRowsCommand(command: string, environment: NodeJS.ProcessEnv): Promise<string> {
  if (command.trim() === "") throw new UserError("what prints the app's rows must be a command, not empty");
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, env: environment, stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (more: string) => {
      text += more;
      if (text.length <= OUTPUT_MAX) return;
      child.stdout.destroy();
      reject(new UserError(`${command}: prints more than ${OUTPUT_MAX / 1e6} MB`));
    });
    child.once("error", (error) => reject(new UserError(`${command}: cannot be run (${error.message})`)));
    child.once("close", (code, signal) => {
      if (code === 0) resolve(text);
      else reject(new UserError(`${command}: ${signal === null ? `exit ${code}` : `ended by ${signal}`}`));
    });
  });
}
