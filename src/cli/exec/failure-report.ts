import type { ControlClient } from "../../core/client/control-client.js";
import { historyRows, historyTitle } from "../../core/reports/charge-history-text.js";
import {
  type ChargeHistory,
  type ChargeSummary,
  listCharges,
  readChargeHistory,
  readFailedTests,
  readNamespaceNames,
} from "../../core/reports/namespace-export.js";
import { readStatuses, type ShownStatus, statusAfter } from "../../core/reports/shown-status.js";
import type { ListedDelivery } from "../../core/reports/trouble.js";
import { isSuccessStatus } from "../../core/schema/http-response.js";
import { outcomePage } from "../../core/schema/statuses.js";
import { formatCount, toPrintableLine } from "../../core/schema/text-format.js";
import type { Sandbox } from "../../library/sandbox.js";
import { historyLines } from "../history-lines.js";
import { valueStyle } from "../table.js";
import { lineWidth, paintError, printErrorLine, printPaintedError } from "../terminal.js";
import { wrap } from "../text-layout.js";
import { controlClientOf, listInNamespace } from "./plan.js";

const REFUSALS_MAX = 5;
const HISTORIES_MAX = 3;
const ROWS_MAX = 30;

interface KnownCharge {
  readonly summary: ChargeSummary;
  readonly readStory: () => Promise<Story>;
}

interface Story {
  readonly history: ChargeHistory;
  readonly shown: ShownStatus;
  readonly deliveries: readonly ListedDelivery[];
}

/** Requests and charges of all namespaces and failed tests. The namespace of a failed test may be gone. */
interface Activity {
  readonly calls: readonly Readonly<Record<string, unknown>>[];
  readonly charges: readonly KnownCharge[];
  /** Events exist, and none has a receiver. */
  readonly isUnheard: boolean;
}

/** Prints why the command may have failed: refused calls, the first charges not in order, and that no webhook was sent. */
export async function printFailureReport(sandbox: Sandbox, hasArtifacts: boolean): Promise<void> {
  const { calls, charges, isUnheard } = await readActivity(sandbox);
  printRefusedCalls(calls);
  await printChargesNotInOrder(charges);
  if (isUnheard)
    printErrorLine(
      "no webhook was sent, since no receiver is registered; if your app listens: npx payments-sandbox exec --webhook-url URL",
    );
  if (calls.length > 0 && !hasArtifacts)
    printErrorLine(
      "more: npx payments-sandbox exec --artifacts DIR writes all requests and histories to files",
    );
}

async function readActivity(sandbox: Sandbox): Promise<Activity> {
  const calls = new Map<string, Activity["calls"][number]>();
  const charges = new Map<string, KnownCharge>();
  let [events, deliveries] = [0, 0];
  const { tests } = await readFailedTests(controlClientOf(sandbox));
  for (const { namespace, test, requests, stories, ...logs } of tests) {
    for (const call of requests.items) calls.set(`${namespace} ${call.request_id} ${call.sent_at}`, call);
    for (const history of stories.items)
      charges.set(`${namespace} ${history.charge.charge_id}`, {
        summary: history,
        readStory: async () => ({
          history: { ...history, test },
          shown: statusAfter(history.charge, logs.events.items),
          deliveries: logs.deliveries.items as readonly object[] as readonly ListedDelivery[],
        }),
      });
  }
  for (const namespace of await readNamespaceNames(controlClientOf(sandbox))) {
    const client = controlClientOf(sandbox, namespace);
    for (const call of await listInNamespace<Activity["calls"][number]>(client, "listRequests"))
      calls.set(`${namespace} ${call.request_id} ${call.sent_at}`, call);
    events += (await listInNamespace(client, "listEvents")).length;
    deliveries += (await listInNamespace(client, "listDeliveries")).length;
    for (const summary of await listCharges(client))
      charges.set(`${namespace} ${summary.charge.charge_id}`, {
        summary,
        readStory: () => readStory(client, summary),
      });
  }
  return {
    calls: [...calls.values()],
    charges: [...charges.values()],
    isUnheard: events > 0 && deliveries === 0,
  };
}

async function readStory(client: ControlClient, summary: ChargeSummary): Promise<Story> {
  const { charge_id } = summary.charge;
  const { items } = await client.run<{ items: readonly ListedDelivery[] }>("listDeliveries", {
    charge_id,
    limit: 100,
  });
  return {
    history: await readChargeHistory(client, summary),
    shown: (await readStatuses(client, { charge_id }))(summary.charge),
    deliveries: items,
  };
}

/** Prints refused calls by kind, the most frequent first. Leaves out errors that a fault caused. */
function printRefusedCalls(calls: Activity["calls"]): void {
  const kinds = new Map<string, { count: number; readonly status: number }>();
  for (const { method, path, status, fault, response_body } of calls) {
    if (typeof status !== "number" || status < 400 || fault !== null) continue;
    const kind = `${method} ${path} → ${status} ${errorText(response_body)}`;
    kinds.set(kind, { count: (kinds.get(kind)?.count ?? 0) + 1, status });
  }
  const refused = [...kinds.values()].reduce((sum, { count }) => sum + count, 0);
  if (refused === 0) return;
  printErrorLine(`${refused} of ${calls.length} calls ${refused === 1 ? "was" : "were"} refused:`);
  const ranked = [...kinds].sort(([, a], [, b]) => b.count - a.count);
  for (const [kind, { count, status }] of ranked.slice(0, REFUSALS_MAX))
    for (const line of wrap(`${count} × ${kind}`, 2, lineWidth(process.stderr)))
      printPaintedError(paintError(valueStyle("status", String(status))!, line));
  const more = ranked.length - REFUSALS_MAX;
  if (more > 0) printPaintedError(`  and ${formatCount(more, "more kind")}`);
}

function errorText(body: unknown): string {
  const { error } = (body ?? {}) as { error?: { message?: string; details?: Record<string, string> } };
  const details = Object.entries(error?.details ?? {}).map(([field, fault]) => `${field} ${fault}`);
  return toPrintableLine([error?.message ?? "", ...details].join("; "));
}

/** Prints the histories of the first charges not in order, in the words of `--artifacts`. */
async function printChargesNotInOrder(charges: readonly KnownCharge[]): Promise<void> {
  const troubled = charges.filter(({ summary }) => !summary.is_in_order);
  const count = troubled.length;
  if (count === 0) return;
  printErrorLine(
    `${count} of ${formatCount(charges.length, "charge")} ${count === 1 ? "is" : "are"} not in order:`,
  );
  for (const { readStory } of troubled.slice(0, HISTORIES_MAX))
    for (const line of storyLines(await readStory())) printPaintedError(line);
  if (count > HISTORIES_MAX) printPaintedError(`  and ${count - HISTORIES_MAX} more`);
}

/** The history of a charge; only its title if it is unfinished and no webhook failed. */
function storyLines({ history, shown, deliveries }: Story): string[] {
  const width = lineWidth(process.stderr);
  const { charge, items } = history;
  const hasFailed = items.some((one) => one.kind === "attempt" && !isSuccessStatus(one.status));
  if (outcomePage(charge.status) === undefined && !hasFailed) {
    const unfinished = { word: `not finished: ${charge.status}`, at: "" };
    return wrap(historyTitle(history, unfinished), 2, width);
  }
  const rows = historyRows(history, deliveries);
  return [
    ...wrap(historyTitle(history, shown), 2, width),
    ...historyLines(rows.slice(0, ROWS_MAX), width, paintError, "  "),
    ...(rows.length > ROWS_MAX ? [`    and ${rows.length - ROWS_MAX} more`] : []),
  ];
}
