import { matchesAnyGlob } from "../../core/domain/glob.js";
import { LIST_COLUMNS } from "../../core/reports/list-columns.js";
import { printErrorLine, printJson, printText } from "../terminal.js";
import { parseAssignments } from "./assignments.js";
import { formatCharge } from "./charges.js";
import { type ClientCall, type ClientCommand, flagText } from "./client-command.js";
import type { Json } from "./connection.js";
import { listCommand, listQuery } from "./lists.js";
import { tableFormatter } from "./output.js";

const timeoutOf = ({ flags: { timeout = "30s" } }: ClientCall): string => String(timeout);

const toleratedOf = ({ tolerated }: Json): string[] =>
  (tolerated as string[]).map((note) => `passed over: ${note}`);

/** Commands that list or wait for requests, events and charges. */
export const WATCHING_COMMANDS: readonly ClientCommand[] = [
  listCommand("requests", "the app's requests and the responses, newest first", "requests --status 4xx", {
    formatResult: tableFormatter(LIST_COLUMNS.requests, toleratedOf),
  }),
  listCommand("events", "the webhook events, newest first; with --follow as they come", "events --follow", {
    options: [["-f, --follow", "go on until interrupted"]],
    call: async ({ connection, flags }) => {
      if (!flags.follow) return connection.get("/events", listQuery("events", flags));
      const { type } = flags;
      // Lets the sandbox refuse an unknown type, which would never arrive.
      if (type !== undefined) await connection.get("/events", { type, limit: 1 });
      const { followActivity: follow } = await import("./follow.js");
      await follow(connection, (name, data) => printMessage(name, data, flags));
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
          await (await import("./ready.js")).waitUntilReady(asked.connection, timeoutOf(asked));
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
function printMessage(name: string, data: Json, { type, json }: ClientCall["flags"]): void {
  if (name === "missed") printErrorLine(`${data.count} messages of the stream arrived too fast to be shown`);
  if (name !== "event") return;
  if (type !== undefined && !matchesAnyGlob(flagText(type)!, String(data.type))) return;
  if (json) printJson(data);
  else
    printText(`${data.at}  ${String(data.type).padEnd(24)}  ${data.charge_id ?? data.withdrawal_id ?? ""}\n`);
}
