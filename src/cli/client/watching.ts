import { matchesAnyGlob } from "../../core/domain/glob.js";
import { LIST_COLUMNS } from "../../core/reports/list-columns.js";
import { parseDuration } from "../../core/schema/duration.js";
import { UserError } from "../../core/schema/user-error.js";
import { machineNowMs, pause } from "../../core/time/timers.js";
import { printErrorLine, printJson, printText } from "../terminal.js";
import { parseAssignments } from "./assignments.js";
import { formatCharge } from "./charges.js";
import { type ClientCommand, type CommandInput, flagText } from "./client-command.js";
import type { Connection, JsonBody } from "./connection.js";
import { listCommand, listQuery } from "./lists.js";
import { tableFormatter } from "./output.js";

const timeoutOf = ({ flags: { timeout = "30s" } }: CommandInput): string => String(timeout);

const toleratedOf = ({ tolerated }: JsonBody): string[] =>
  (tolerated as string[]).map((note) => `passed over: ${note}`);

/** Commands that list or wait for requests, events and charges. */
export const WATCHING_COMMANDS: readonly ClientCommand[] = [
  listCommand("requests", "the app's requests and the responses, newest first", "requests --status 4xx", {
    formatResult: tableFormatter(LIST_COLUMNS.requests, { notesOf: toleratedOf }),
  }),
  listCommand("events", "the webhook events, newest first; with --follow as they come", "events --follow", {
    options: [["-f, --follow", "go on until interrupted"]],
    call: async ({ connection, flags }) => {
      if (!flags.follow) return connection.get("/events", listQuery("events", flags));
      const { type } = flags;
      // Validates the event type first: the stream would wait for an unknown type forever.
      if (type !== undefined) await connection.get("/events", { type, limit: 1 });
      await followActivity(connection, (name, data) => printMessage(name, data, flags));
      return undefined;
    },
  }),
  {
    usage: "wait <what>",
    summary: "wait until the sandbox is ready, a charge exists, or nothing is due: ready | charge | idle",
    example: "payments-sandbox wait charge --match customer_email=ada@example.com --match status=COMPLETED",
    options: [
      ["--match <field=value...>", "charge: a field it must have (repeatable)"],
      ["--timeout <duration>", "timeout (default 30s)"],
    ],
    verbs: {
      ready: {
        call: async (asked) => {
          await waitUntilReady(asked.connection, timeoutOf(asked));
          return { ready: true, url: asked.connection.url };
        },
        progressText: "waiting",
      },
      charge: {
        call: async (asked) => {
          const match = parseAssignments(asked.flags.match);
          return asked.connection.post("/wait", { for: "charge", match, timeout: timeoutOf(asked) });
        },
        progressText: "waiting",
        formatResult: formatCharge,
      },
      idle: {
        call: async (asked) => asked.connection.post("/wait", { for: "idle", timeout: timeoutOf(asked) }),
        progressText: "waiting",
      },
    },
  },
];

/** Prints an event of the stream if its type matches. */
function printMessage(name: string, data: JsonBody, { type, json }: CommandInput["flags"]): void {
  if (name === "missed") printErrorLine(`${data.count} messages of the stream arrived too fast to be shown`);
  if (name !== "event") return;
  if (type !== undefined && !matchesAnyGlob(flagText(type)!, String(data.type))) return;
  if (json) printJson(data);
  else
    printText(`${data.at}  ${String(data.type).padEnd(24)}  ${data.charge_id ?? data.withdrawal_id ?? ""}\n`);
}

/** Reports each message of the live stream until the sandbox stops or the output is closed. */
async function followActivity(
  connection: Connection,
  onMessage: (event: string, data: Record<string, unknown>) => void | Promise<void>,
): Promise<void> {
  const response = await connection.send("GET", "/_sandbox/stream");
  if (!response.ok || response.body === null)
    throw new UserError(`the stream returned HTTP ${response.status}`);
  const { body } = response;
  // Output fails once its reader, such as `head`, has exited.
  process.stdout.once("error", () => void body.cancel());
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const bytes of body) {
      rest += decoder.decode(bytes, { stream: true });
      const parts = rest.split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const event = /^event: ([^\n]*)$/m.exec(part)?.[1];
        const data = /^data: ([^\n]*)$/m.exec(part)?.[1];
        if (event !== undefined && data !== undefined)
          await onMessage(event, JSON.parse(data) as Record<string, unknown>);
      }
    }
  } catch (error) {
    if (error instanceof UserError || (error instanceof Error && error.name === "SyntaxError")) throw error;
    // Ignores connection errors: the sandbox has stopped, which ends the stream.
  }
}

const POLL_MS = 50;

/** Resolves when the sandbox responds. Throws after the timeout. */
async function waitUntilReady(connection: Connection, timeout: string): Promise<void> {
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs === undefined) throw new UserError(`--timeout takes a duration such as 30s, not ${timeout}`);
  const endMs = machineNowMs() + timeoutMs;
  for (;;) {
    try {
      if ((await connection.send("GET", "/health")).ok) return;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
    if (machineNowMs() >= endMs) throw new UserError(`no sandbox at ${connection.url} within ${timeout}`);
    await pause(POLL_MS);
  }
}
