import { readFileSync } from "node:fs";
import { appEnvironment } from "../app-environment.js";
import type { BookReport, Marking } from "../core/schema/reconciliation.js";
import { UserError } from "../core/schema/user-error.js";
import type { ReconcileOptions } from "../public-types.js";
import { compareAppRows, runRowsCommand } from "./books/app-rows.js";
import { Connection, type ConnectionFlags } from "./client/connection.js";
import { booksReport } from "./report/books.js";
import { writeJunit } from "./report/junit.js";
import { reportText } from "./report/text.js";
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
export async function reconcileCommand(flags: ReconcileFlags): Promise<void> {
  const { appCmd, file, partial, since, junit } = flags;
  if ((appCmd === undefined) === (file === undefined))
    throw new UserError("reconcile takes the app's rows from one of --app-cmd COMMAND and --file FILE");
  const connection = new Connection(flags);
  const reading: ReconcileOptions = {
    map: pairsOf("--map", flags.map),
    // Not checked here: the sandbox refuses an unknown meaning of a status word and lists the known meanings.
    statuses: pairsOf("--status", flags.status) as Record<string, Marking>,
    ...(partial === undefined ? {} : { partial }),
    ...(since === undefined ? {} : { since }),
  };
  const text = file === undefined ? await answerOf(appCmd!, connection) : contentsOf(file);
  const report = await compareAppRows(text, file ?? "--app-cmd", reading, (body) =>
    connection.call<BookReport>("POST", "/_sandbox/reconcile", body),
  );
  if (junit !== undefined) writeJunit(junit, [booksReport(report)]);
  if (flags.json) printJson(report);
  else printText(reportText(booksReport(report)));
  process.exitCode = report.passed ? 0 : 1;
}

async function answerOf(command: string, connection: Connection): Promise<string> {
  const { api_key, webhook_secret } = await connection.get("");
  const { url, trust } = connection;
  const access = { url, trust, apiKey: String(api_key), webhookSecret: String(webhook_secret) };
  return runRowsCommand(command, { ...process.env, ...appEnvironment(access) });
}

function contentsOf(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new UserError(`--file ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
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
