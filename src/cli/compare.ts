import { existsSync, readFileSync } from "node:fs";
import { documentFromValue, readDocument } from "../core/files/documents.js";
import { isJsonObject, parseJsonOrText } from "../core/schema/json-objects.js";
import { DEFAULT_RATE_LIMIT } from "../core/schema/option-schemas.js";
import type { OptionName, StartOptions } from "../core/schema/option-table.js";
import { systemErrorText } from "../core/schema/system-error-text.js";
import { formatCount, toPrintableLine, trimTrailingSlashes } from "../core/schema/text-format.js";
import { UserError } from "../core/schema/user-error.js";
import { systemWallClock } from "../core/time/wall-clock.js";
import { openSandbox } from "../library/opening.js";
import {
  type ComparedSandbox,
  type CompareOptions,
  type Comparison,
  compare,
  isRecording,
  merge,
  openInbox,
  type ReceivedWebhook,
  type Repair,
  renamesOf,
} from "../tools/compare/compare.js";
import { writeRepair } from "./compare-files.js";
import { CONFIG_FILE_NAMES, environmentVariableOf, readStartOptions } from "./options.js";
import { prepareOutputs, writeOutputFile } from "./output-files.js";
import { abortOnEndSignal } from "./process-handlers.js";
import { printJson, printText } from "./terminal.js";
import { paint } from "./text-layout.js";

export interface CompareFlags {
  readonly against?: string;
  readonly key?: string;
  readonly record?: string;
  readonly received?: string;
  readonly listen?: string;
  readonly config?: string;
  readonly write?: boolean;
  readonly payouts?: boolean;
  readonly burst?: boolean;
  readonly json?: boolean;
}

/** `compare`: exits with 0 if service and sandbox are the same, with 1 if they differ. */
export async function runCompare(flags: CompareFlags): Promise<void> {
  prepareOutputs(flags);
  const options = await readStartOptions({ config: flags.config });
  const service = await serviceOf(flags);
  const received = flags.received === undefined ? undefined : receivedWebhooks(flags.received);
  if (flags.received !== undefined && flags.listen !== undefined)
    throw new UserError("--listen and --received are two ways to the webhooks: give one");
  const listen = flags.listen === undefined ? undefined : await listenAt(flags.listen);
  const { payouts = false, burst = false, write = false } = flags;
  try {
    const open = opener(options);
    const { signal } = abortOnEndSignal();
    const result = await compare({ service, open, listen, received, payouts, burst, signal, repair: write });
    if (flags.record !== undefined)
      writeOutputFile("--record", flags.record, `${JSON.stringify(result.recording, null, 1)}\n`);
    const config =
      flags.config ??
      process.env[environmentVariableOf("config")] ??
      CONFIG_FILE_NAMES.find((name) => existsSync(name));
    const written = write ? await writeRepair(config, options.fixtures, result.repair) : [];
    const { calls, differences, left } = result;
    if (flags.json) printJson({ calls, differences, left, ...(write ? { written } : {}) });
    else printText(reportText(result, written));
    process.exitCode = differences.every(({ followed }) => followed) ? 0 : 1;
  } finally {
    listen?.inbox.close();
  }
}

async function serviceOf({ against, key }: CompareFlags): Promise<CompareOptions["service"]> {
  if (against === undefined)
    throw new UserError("--against is missing: the service's URL, or a recording of it");
  if (!/^https?:\/\//i.test(against)) {
    const { value } = await readDocument(against);
    if (!isRecording(value))
      throw new UserError(`--against ${against}: is neither a URL nor a recording of compare --record`);
    return { recording: value };
  }
  if (key === undefined) throw new UserError("--key is missing: a key of the service's test mode, sk_test_…");
  if (!key.startsWith("sk_test_"))
    throw new UserError("--key must be a key of the test mode, sk_test_…: compare makes payments");
  if (!URL.canParse(against)) throw new UserError("--against is not a URL");
  const url = new URL(against);
  if (url.username !== "" || url.search !== "" || url.hash !== "")
    throw new UserError("--against must be a URL without a password, query or fragment");
  return { url: trimTrailingSlashes(against), key };
}

async function listenAt(text: string) {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new UserError(`--listen ${text} is not an http or https URL`);
  const { port, protocol, hostname } = new URL(text);
  const isLocal = /^(localhost|127\.)/.test(hostname);
  const inbox = await openInbox(
    Number(port) || (protocol === "https:" ? 443 : 80),
    isLocal ? "127.0.0.1" : "0.0.0.0",
    () => systemWallClock.nowMs(),
  );
  return { url: text, inbox };
}

/** A line is `{ headers, body }`, or a body alone. */
function receivedWebhooks(file: string): ReceivedWebhook[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(`--received ${file} cannot be read: ${systemErrorText(error)}`);
  }
  if (text.trim() === "") throw new UserError(`--received ${file} has no webhook`);
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const value = parseJsonOrText(line);
    if (!isJsonObject(value)) throw new UserError(`--received ${file}:${index + 1}: is not a JSON object`);
    const { headers = {}, body = value } = value;
    return [
      {
        headers: headers as ReceivedWebhook["headers"],
        body: typeof body === "string" ? body : JSON.stringify(body),
        atMs: 0,
      },
    ];
  });
}

/** Options that change what the service answers or sends. */
const COMPARED: readonly OptionName[] = [
  "fixtures",
  "scenario",
  "rate_limit",
  "signature",
  "retry_schedule",
  "event_names",
  "fees",
  "rates",
  "limits",
  "amounts",
  "paths",
  "error_codes",
  "wire",
];

function opener(options: StartOptions): CompareOptions["open"] {
  const base = Object.fromEntries(
    COMPARED.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
  return async (seed, { config = {}, fixtures }: Repair): Promise<ComparedSandbox> => {
    const merged = merge(base, config) as StartOptions;
    const sandbox = await openSandbox({
      ...merged,
      ...(fixtures === undefined ? {} : { furtherFixtures: documentFromValue(fixtures, "fixtures") }),
      rate_limit: merged.rate_limit ?? DEFAULT_RATE_LIMIT,
      clock: "manual",
      unreachable: "fail",
      seed,
      ownsProcess: true,
    });
    return {
      apiKey: sandbox.apiKey,
      renames: renamesOf(merged.wire),
      fetch: (request) => sandbox.fetch(request),
      advance: (by) => sandbox.advance(by),
      close: () => sandbox.close(),
    };
  };
}

function reportText({ calls, differences, left }: Comparison, written: readonly string[]): string {
  const lines = differences.flatMap(
    ({ operation, field, kind, theirs, ours, decides, follow, followed, at }) => [
      `${paint("bold", toPrintableLine(`${operation} ${field}`))}  ${kind}  ${paint("dim", decides.join(", "))}`,
      `  theirs ${theirs}, ours ${ours}  ${paint("dim", `at ${at.slice(0, 3).join(", ")}${at.length > 3 ? ` and ${at.length - 3} more` : ""}`)}`,
      `  ${follow === null ? "no option follows it" : JSON.stringify(follow)}${followed === undefined ? "" : followed ? paint("green", "  followed") : paint("red", "  left")}`,
    ],
  );
  const open = differences.filter(({ followed }) => !followed).length;
  const counts = `${formatCount(calls, "call")}, ${formatCount(differences.length, "difference")}`;
  return [
    ...lines,
    ...left.map((one) => paint("dim", `not compared: ${one}`)),
    ...written.map((file) => `${file}: written`),
    differences.length === 0
      ? `${counts}: the sandbox is as the service`
      : written.length > 0
        ? `${counts}, ${open} left`
        : counts,
    "",
  ].join("\n");
}
