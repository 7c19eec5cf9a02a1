import { readFileSync } from "node:fs";
import { parseBooks } from "../core/domain/books/parse-books.js";
import type { BookReport } from "../core/schema/control-responses.js";
import type { Marking, ReconcileRequest } from "../core/schema/reconciliation.js";
import { SandboxError } from "../core/schema/refusals.js";
import { systemErrorText } from "../core/schema/system-error-text.js";
import { UserError } from "../core/schema/user-error.js";
import type { ReconcileOptions } from "../library/library-options.js";
import { readAppEnvironment, readCommandOutput } from "./app-command.js";
import { Connection, type ConnectionFlags } from "./client/connection.js";
import { prepareOutputs } from "./output-files.js";
import { reportOfReconciliation } from "./report/books.js";
import { publishReports } from "./report/publish.js";
import { reportText } from "./report/report.js";
import { printJson, printText } from "./terminal.js";

interface ReconcileFlags extends ConnectionFlags {
  readonly appCmd?: string;
  readonly file?: string;
  readonly map?: readonly string[];
  readonly status?: readonly string[];
  readonly partial?: boolean;
  readonly since?: string;
  readonly junit?: string;
}

/** `reconcile`: compares the app's payment records with the ledger of a running sandbox. */
export async function runReconcile(flags: ReconcileFlags): Promise<void> {
  const { appCmd, file, partial, since, junit } = flags;
  if ((appCmd === undefined) === (file === undefined))
    throw new UserError("reconcile takes the app's rows from one of --app-cmd COMMAND and --file FILE");
  prepareOutputs(flags);
  const connection = new Connection(flags);
  const reading: ReconcileOptions = {
    map: pairsOf("--map", flags.map),
    // Not checked here: the sandbox refuses an unknown meaning of a status word and lists the known meanings.
    statuses: pairsOf("--status", flags.status) as Record<string, Marking>,
    ...(partial === undefined ? {} : { partial }),
    ...(since === undefined ? {} : { since }),
  };
  const text =
    file === undefined
      ? await readRowsFromCommand(appCmd!, await readAppEnvironment(connection, connection.url))
      : contentsOf(file);
  const report = await compareAppRows(text, file ?? "--app-cmd", reading, (body) =>
    connection.run<BookReport>("reconcile", body),
  );
  if (flags.json) printJson(report);
  else printText(reportText(reportOfReconciliation(report)));
  process.exitCode = publishReports(junit, [reportOfReconciliation(report)], reconcileExitCode(report));
}

/** Exit code of a comparison: 1 with findings, 2 if there was nothing to compare. */
export function reconcileExitCode({ passed, rows, charges }: BookReport): number {
  if (rows === 0 && charges === 0) return 2;
  return passed ? 0 : 1;
}

function contentsOf(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new UserError(`--file ${file} cannot be read: ${systemErrorText(error)}`);
  }
}

/** Splits each pair at its last `=`. */
function pairsOf(flag: string, given: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.lastIndexOf("=");
      if (at < 1) throw new UserError(`${flag} takes NAME=VALUE, not ${JSON.stringify(pair)}`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** Compares the app's rows with the ledger. @throws UserError that names the line of an invalid row */
export async function compareAppRows(
  text: string,
  source: string,
  reading: ReconcileOptions,
  post: (body: ReconcileRequest) => Promise<BookReport>,
): Promise<BookReport> {
  const { rows, lines } = parseBooks(text, source);
  try {
    return await post({ ...reading, rows: [...rows] });
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const [fault] = Object.entries(error.details ?? {});
    const [, index, field] = /^rows\.(\d+)\.?(.*)$/.exec(fault?.[0] ?? "") ?? [];
    if (index === undefined) throw error;
    throw new UserError(`${source}, line ${lines[Number(index)]}: ${field} ${fault![1]}`);
  }
}

/** Runs a command that prints the app's rows. @throws UserError if it fails or prints too much */
export function readRowsFromCommand(command: string, environment: NodeJS.ProcessEnv): Promise<string> {
  if (command.trim() === "") throw new UserError("what prints the app's rows must be a command, not empty");
  return readCommandOutput(command, environment);
}
