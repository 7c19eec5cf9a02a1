import { matchesAnyGlob } from "../../core/domain/glob.js";
import { columnValue, LIST_COLUMNS } from "../../core/reports/list-columns.js";
import { requestTrouble } from "../../core/reports/request-text.js";
import { parseDuration } from "../../core/schema/time.js";
import { UserError } from "../../core/schema/user-error.js";
import { machineNowMs, pause } from "../../core/time/timers.js";
import { valueStyle } from "../table.js";
import { isTerminal, lineWidth, printErrorLine, printJson, printText } from "../terminal.js";
import { GAP, reasonLines, type StyledText } from "../text-layout.js";
import { formatCharge } from "./charges.js";
import {
  type ClientAction,
  type ClientCommand,
  type CommandInput,
  flagText,
  parseAssignments,
  runs,
} from "./client-command.js";
import type { Connection, JsonBody } from "./connection.js";
import { listCommand, listQuery } from "./output.js";

const FOLLOW = ["-f, --follow", "go on until interrupted"] as const;

const timeoutOf = ({ flags: { timeout = "30s" } }: CommandInput): string => String(timeout);

export const WATCHING_COMMANDS: readonly ClientCommand[] = [
  listCommand(
    "listRequests",
    "the app's requests and the responses, newest first; with --follow as they come",
    "requests --status 4xx",
    {
      options: [FOLLOW],
      call: listOrFollow("listRequests", "request", requestLine),
    },
  ),
  listCommand(
    "listEvents",
    "the webhook events, newest first; with --follow as they come",
    "events --follow",
    {
      options: [FOLLOW],
      call: listOrFollow("listEvents", "event", eventLine),
    },
  ),
  {
    usage: "wait <what>",
    summary: "wait until the sandbox is ready, a charge exists, or nothing is due: ready | charge | idle",
    example: "payments-sandbox wait charge --match customer_email=ada@example.com --match status=COMPLETED",
    options: [
      ["--match <field=value...>", "a field it must have (repeatable)", "charge"],
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
      charge: runs("waitFor", {
        input: (asked) => ({
          for: "charge",
          match: parseAssignments(asked.flags.match),
          timeout: timeoutOf(asked),
        }),
        progressText: "waiting",
        formatResult: formatCharge,
      }),
      idle: runs("waitFor", {
        input: (asked) => ({ for: "idle", timeout: timeoutOf(asked) }),
        progressText: "waiting",
      }),
    },
  },
];

/** Lists records, or with `--follow` prints each new one as a line. `lineOf` returns undefined for a filtered one. */
function listOrFollow(
  id: "listRequests" | "listEvents",
  kind: "request" | "event",
  lineOf: (data: JsonBody, flags: CommandInput["flags"]) => readonly StyledText[] | undefined,
): ClientAction["call"] {
  return async ({ connection, flags }) => {
    if (!flags.follow) return connection.run(id, listQuery(id, flags));
    // Validates the filters first: the stream would wait for an unknown name forever.
    await connection.run(id, { ...listQuery(id, flags), limit: 1 });
    await followActivity(connection, (message, data) => {
      if (message === "missed")
        printErrorLine(`${data.count} messages of the stream arrived too fast to be shown`);
      const line = message === kind ? lineOf(data, flags) : undefined;
      if (line === undefined) return;
      if (flags.json) printJson(data);
      else printText(`${followLines(String(data.at), line).join("\n")}\n`);
    });
    return undefined;
  };
}

/** Lines of `--follow`, the last part as a reason; on a terminal with a short time. */
function followLines(at: string, parts: readonly StyledText[]): string[] {
  const time = isTerminal() ? `  ${at.slice(11, 19)}` : at;
  const head = parts.slice(0, -1).map(([style, text]): StyledText => [style, GAP + text]);
  return reasonLines(
    [["dim", time], ...head],
    parts.at(-1)!,
    [undefined, ""],
    (time + GAP).length,
    lineWidth(),
  );
}

function eventLine(
  { type, charge_id, withdrawal_id }: JsonBody,
  flags: CommandInput["flags"],
): StyledText[] | undefined {
  if (flags.type !== undefined && !matchesAnyGlob(flagText(flags.type)!, String(type))) return undefined;
  return [
    [undefined, String(type).padEnd(24)],
    [undefined, String(charge_id ?? withdrawal_id ?? "")],
  ];
}

/** A completed request in one line, with the reason if it was refused. */
function requestLine(request: JsonBody, flags: CommandInput["flags"]): StyledText[] | undefined {
  const { method, path, operation, in_flight } = request;
  const status = String(columnValue(LIST_COLUMNS.requests, "status", request));
  const asked = flagText(flags.status)?.replaceAll("x", "*");
  if (in_flight === true || (asked !== undefined && !matchesAnyGlob(asked, status))) return undefined;
  if (flags.operation !== undefined && !matchesAnyGlob(flagText(flags.operation)!, String(operation)))
    return undefined;
  const style = valueStyle("status", status);
  return [
    [style, status],
    [undefined, `${method} ${path}`],
    [style, requestTrouble(request) ?? ""],
  ];
}

/** Reports each message of the live stream until the sandbox stops or the output is closed. */
async function followActivity(
  connection: Connection,
  onMessage: (event: string, data: Record<string, unknown>) => void | Promise<void>,
): Promise<void> {
  // The stream is no operation: its response is read as it comes.
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
