import type { ControlClient } from "../../core/client/control-client.js";
import { causeText, historyRows } from "../../core/reports/charge-history-text.js";
import { failureText, type ListedDelivery, receiverText } from "../../core/reports/delivery-text.js";
import { columnValue, LIST_COLUMNS } from "../../core/reports/list-columns.js";
import {
  type ChargeHistory,
  type ChargeSummary,
  listCharges,
  readChargeHistory,
  readFailedTests,
  readNamespaceNames,
} from "../../core/reports/namespace-export.js";
import { type Payment, shownStatus, statusText } from "../../core/reports/shown-status.js";
import type { ChargeHistoryItem } from "../../core/schema/control-responses.js";
import { isSuccessStatus } from "../../core/schema/http-response.js";
import { CHARGE_STATUS_TABLE, outcomePage } from "../../core/schema/statuses.js";
import { formatCount, groupDigits, toPrintableLine } from "../../core/schema/text-format.js";
import type { Sandbox } from "../../library/sandbox.js";
import { historyLines } from "../history-lines.js";
import { shortId, valueStyle } from "../table.js";
import { errorLines, lineWidth, paintError } from "../terminal.js";
import { SEPARATOR, wrap } from "../text-layout.js";
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
  readonly deliveries: readonly ListedDelivery[];
}

/** Requests and charges of all namespaces and failed tests. The namespace of a failed test may be gone. */
interface Activity {
  readonly calls: readonly Readonly<Record<string, unknown>>[];
  readonly charges: readonly KnownCharge[];
  readonly failed: FailedTests;
  /** Events exist, and none has a receiver. */
  readonly isUnheard: boolean;
}

/** Tests that failed, as far as the sandbox was told, and their charges. */
interface FailedTests {
  readonly names: readonly string[];
  readonly charges: readonly KnownCharge[];
}

/**
 * Lines for standard error that say why the command may have failed: that no webhook was sent, refused calls, then the
 * charges of the tests that failed. If no test is known to have failed, the first charges not in order.
 */
export async function failureReportLines(sandbox: Sandbox, hasArtifacts: boolean): Promise<string[]> {
  const { calls, charges, failed, isUnheard } = await readActivity(sandbox);
  return [
    ...(isUnheard
      ? errorLines(
          "no webhook was sent, since no receiver is registered; if your app listens: npx payments-sandbox exec --webhook-url URL",
        )
      : []),
    ...refusedCallLines(calls),
    ...(failed.names.length > 0 ? await failedTestLines(failed) : await chargeLines(charges)),
    ...(calls.length > 0 && !hasArtifacts
      ? errorLines("all requests and histories as files: npx payments-sandbox exec --artifacts DIR")
      : []),
  ];
}

async function readActivity(sandbox: Sandbox): Promise<Activity> {
  const calls = new Map<string, Activity["calls"][number]>();
  const charges = new Map<string, KnownCharge>();
  let [events, deliveries] = [0, 0];
  const failed: KnownCharge[] = [];
  const { tests } = await readFailedTests(controlClientOf(sandbox));
  for (const { namespace, test, requests, stories, ...logs } of tests) {
    for (const call of requests.items) calls.set(`${namespace} ${call.request_id} ${call.sent_at}`, call);
    for (const history of stories.items)
      failed.push({
        summary: history,
        readStory: async () => ({
          history: { ...history, test },
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
    failed: { names: [...new Set(tests.map(({ test }) => test))], charges: failed },
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
    deliveries: items,
  };
}

/** Refused calls by kind, the most frequent first. Leaves out errors that a fault caused. */
function refusedCallLines(calls: Activity["calls"]): string[] {
  const kinds = new Map<string, { count: number; readonly status: number }>();
  for (const { method, path, status, fault, response_body } of calls) {
    if (typeof status !== "number" || status < 400 || fault !== null) continue;
    const kind = `${method} ${path} → ${status} ${errorText(response_body)}`;
    kinds.set(kind, { count: (kinds.get(kind)?.count ?? 0) + 1, status });
  }
  const refused = [...kinds.values()].reduce((sum, { count }) => sum + count, 0);
  if (refused === 0) return [];
  const ranked = [...kinds].sort(([, a], [, b]) => b.count - a.count);
  const more = ranked.length - REFUSALS_MAX;
  return [
    ...errorLines(
      `${refused} of ${formatCount(calls.length, "call")} ${refused === 1 ? "was" : "were"} refused:`,
      undefined,
      "red",
    ),
    ...ranked
      .slice(0, REFUSALS_MAX)
      .flatMap(([kind, { count, status }]) =>
        wrap(`${count} × ${kind}`, 2, lineWidth(process.stderr)).map((line) =>
          paintError(valueStyle("status", String(status))!, line),
        ),
      ),
    ...(more > 0 ? [`  and ${formatCount(more, "more kind")}`] : []),
  ];
}

function errorText(body: unknown): string {
  const { error } = (body ?? {}) as { error?: { message?: string; details?: Record<string, string> } };
  const details = Object.entries(error?.details ?? {}).map(([field, fault]) => `${field} ${fault}`);
  return toPrintableLine([error?.message ?? "", ...details].join("; "));
}

/** The names of the failed tests, and their charges: first those not in order. */
async function failedTestLines({ names, charges }: FailedTests): Promise<string[]> {
  const made = charges.length === 0 ? "no charge" : `${formatCount(charges.length, "charge")}:`;
  const which = names.length === 1 ? names[0]! : `${names.length} tests`;
  const isInOrder = ({ summary }: KnownCharge) => Number(summary.is_in_order);
  return [
    ...errorLines(`${which} failed, and made ${made}`, undefined, "red"),
    ...(await firstStories([...charges].sort((a, b) => isInOrder(a) - isInOrder(b)))),
  ];
}

async function chargeLines(charges: readonly KnownCharge[]): Promise<string[]> {
  const troubled = charges.filter(({ summary }) => !summary.is_in_order);
  const count = troubled.length;
  if (count === 0) return [];
  return [
    ...errorLines(
      `${count} of ${formatCount(charges.length, "charge")} ${count === 1 ? "is" : "are"} not in order:`,
      undefined,
      "red",
    ),
    ...(await firstStories(troubled)),
  ];
}

/** The first charges, each with its cause and its history. */
async function firstStories(charges: readonly KnownCharge[]): Promise<string[]> {
  const lines: string[] = [];
  for (const [place, { readStory }] of charges.slice(0, HISTORIES_MAX).entries())
    lines.push(...(place > 0 ? [""] : []), ...storyLines(await readStory()));
  const more = charges.length - HISTORIES_MAX;
  return more > 0 ? [...lines, `  and ${more} more`] : lines;
}

type Attempt = Extract<ChargeHistoryItem, { kind: "attempt" }>;

/** A charge's heading, why it is not in order, and its history; only the heading if it is merely unfinished. */
function storyLines({ history, deliveries }: Story): string[] {
  const width = lineWidth(process.stderr);
  const { charge, items, test } = history;
  const failures = items
    .filter((one) => one.kind === "attempt")
    .filter((one) => !isSuccessStatus(one.status));
  const isUnfinished = outcomePage(charge.status) === undefined && failures.length === 0;
  const { scenario = "default" } = Object(charge.sandbox) as { readonly scenario?: string | null };
  const heading = [
    isUnfinished
      ? `● not finished: ${charge.status}`
      : `${history.is_in_order ? "✓" : "✗"} ${statusText(shownStatus(charge as unknown as Payment))}`,
    `${charge.currency} ${groupDigits(String(charge.amount))}`,
    charge.customer_email,
    columnValue(LIST_COLUMNS.charges, "order", charge),
    charge.mode === "live" ? "live mode" : null,
    scenario === "default" || scenario === null ? null : `scenario ${scenario}`,
    test === undefined ? null : `test ${test}`,
    Number.isFinite(width) ? shortId(charge.charge_id) : charge.charge_id,
  ];
  const title = toPrintableLine(heading.filter((part) => part != null).join(SEPARATOR));
  const painted = wrap(title, 2, width).map((line) => paintError("bold", line));
  if (isUnfinished) return painted;
  const told = new Set<string>();
  const rows = historyRows(history, deliveries).filter(({ item }) => {
    // Each status has its event. A reversal has no status.
    if (item.kind === "event") return item.type.startsWith("sandbox.");
    if (item.kind !== "attempt" || isSuccessStatus(item.status)) return true;
    return told.size < told.add(failureKey(item)).size;
  });
  return [
    ...[...painted, ...reasonsOf(items, failures).flatMap((reason) => wrap(reason, 4, width))].map((line) =>
      history.is_in_order ? line : paintError("red", line),
    ),
    ...historyLines(rows.slice(0, ROWS_MAX), width, paintError, "  "),
    ...(rows.length > ROWS_MAX ? [`    and ${rows.length - ROWS_MAX} more`] : []),
  ];
}

/** Why a charge is not in order: what made its status, and each failure of a receiver with the number of webhooks. */
function reasonsOf(items: ChargeHistory["items"], failures: readonly Attempt[]): string[] {
  const last = items.findLast((item) => item.kind === "transition");
  const isBad = last !== undefined && CHARGE_STATUS_TABLE[last.status].tone === "bad";
  const reasons = new Map(failures.map((one) => [failureKey(one), one]));
  return [
    (isBad && causeText(last)) || "",
    ...[...reasons].map(([key, attempt]) => {
      const same = failures.filter((one) => failureKey(one) === key);
      const count = formatCount(new Set(same.map((one) => one.delivery_id)).size, "webhook");
      return `${count} not accepted: ${receiverText(`http://${attempt.receiver}`)} ${failureText(attempt)}`;
    }),
  ].filter((reason) => reason !== "");
}

function failureKey({ receiver, status }: Attempt): string {
  return `${receiver} ${status}`;
}
