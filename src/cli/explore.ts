import { writeFileSync } from "node:fs";
import type * as z from "zod/mini";
import { exploreFile } from "../explore/file.js";
import { freshRunId } from "../scenario/running/run-id.js";
import { withoutEndSlashes } from "../schema/addresses.js";
import { durationMs, durationSchema } from "../schema/duration.js";
import { DEFAULT_DEPTH, depthSchema } from "../schema/explore.js";
import { webhookUrl } from "../schema/options.js";
import { withOneLines } from "../schema/printable.js";
import { UserError } from "../schema/user-error.js";
import { Connection, type ConnectionFlags } from "./client/connection.js";
import { paint } from "./paint.js";
import { exploreJunit } from "./report/explore-junit.js";
import { exploreLines } from "./report/explore-text.js";
import { Progress, say, sayJson, tellLine } from "./terminal.js";
import { variablesOf } from "./variables.js";

/** What ends it early, and the exit code that says so; a run that is under way puts back what it changed. */
const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;

/** The flags of `explore`. */
interface ExploreFlags extends ConnectionFlags {
  readonly app?: string;
  readonly depth?: string;
  readonly budget?: string;
  readonly var?: readonly string[];
  readonly save?: string;
  readonly junit?: string;
}

/** `explore`: looks for what makes an app go wrong. 0 nothing found, 1 something, 2 it could not be carried out, or not as far as a single depth. */
export async function exploreCommand(flow: string, flags: ExploreFlags): Promise<void> {
  const connection = new Connection(flags);
  const app = appOf(flags);
  const { depth, budget } = flags;
  const progress = new Progress(flags.json !== true);
  const interrupted = new AbortController();
  let stoppedBy: number | undefined;
  for (const [signal, code] of SIGNALS)
    process.once(signal, () => {
      stoppedBy = code;
      interrupted.abort();
    });
  const report = await exploreFile(flow, {
    fetch: (path, init) => fetch(`${connection.url}${path}`, init),
    namespace: flags.namespace,
    controlToken: flags.controlToken ?? process.env.PAYMENTS_SANDBOX_CONTROL_TOKEN,
    app,
    vars: variablesOf(flags.var),
    environment: process.env,
    depth: depth === undefined ? DEFAULT_DEPTH : flagged("--depth", depthSchema, Number(depth), depth),
    budgetMs:
      budget === undefined ? undefined : durationMs(flagged("--budget", durationSchema, budget, budget)),
    save: flags.save,
    onWarning: (warning) => tellLine(warning),
    runIdOf: () => freshRunId(),
    signal: interrupted.signal,
    onRun: (runs, findings) => progress.show(`${runs} runs, ${findings} findings`),
  }).finally(() => progress.end());
  if (flags.junit !== undefined) writeReport(flags.junit, exploreJunit(flow, report));
  if (flags.json) sayJson(report);
  else say(`${exploreLines(withOneLines(report), process.stdout.columns || 80, paint).join("\n")}\n`);
  process.exitCode = stoppedBy ?? (report.passed ? 0 : report.findings.length > 0 ? 1 : 2);
}

function appOf({ app }: ExploreFlags): string {
  if (app === undefined) throw new UserError("explore needs the app: give its URL with --app");
  const url = webhookUrl(app);
  if (url === undefined)
    throw new UserError(`--app must be an http or https URL, not ${JSON.stringify(app)}`);
  return withoutEndSlashes(url);
}

/** A flag's value, as its schema has it. */
function flagged<Value>(flag: string, schema: z.ZodMiniType<Value>, given: unknown, text: string): Value {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new UserError(`${flag} ${JSON.stringify(text)}: ${parsed.error.issues[0]?.message}`);
}

function writeReport(file: string, xml: string): void {
  try {
    writeFileSync(file, xml);
  } catch (error) {
    throw new UserError(`--junit ${file} cannot be written: ${(error as Error).message}`);
  }
}
