import { isFailing } from "../../core/engine/failing.js";
import { receiverName } from "../../core/engine/log-views.js";
import type { Delivery } from "../../core/engine/records.js";
import type { JournalEntry } from "../../core/namespace/served-request.js";
import { iso } from "../../core/schema/time.js";
import { type Content, html } from "../html.js";
import { requestCurl } from "./curl.js";
import { button, copy, firstLine, span, type Tone } from "./parts.js";
import { href, isShown, type Scene } from "./scene.js";

/** An entry of "Needs attention". */
export interface Need {
  readonly key: string;
  readonly at?: string;
  readonly tone: Tone;
  readonly word: string;
  readonly title: Content;
  readonly to?: string;
  readonly sub?: Content;
  readonly acts?: Content;
}

/** Newest failures inspected per receiver. */
const LOOKED_AT = 50;
const REQUESTS_LOOKED_AT = 200;
const MAX_KINDS = 4;

const known = new WeakMap<Scene, Need[]>();

/** Entries of "Needs attention", worst first. Memoized per page, because the menu counts them too. */
export function attention(scene: Scene): Need[] {
  let needs = known.get(scene);
  if (needs === undefined) {
    needs = [
      ...failingReceivers(scene),
      ...heldDeliveries(scene),
      ...refusedCalls(scene),
      ...activeScenarios(scene),
    ];
    known.set(scene, needs);
  }
  return needs;
}

export { receiverName as placeOf };

/** Status or error of the last attempt. */
export function answerOf({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  return last === undefined ? "no response yet" : String(last.status ?? last.error ?? "no response");
}

/** Status or error of the last attempt, with the first line of the response. */
export function failureOf(delivery: Delivery): string {
  const last = delivery.attempts.at(-1);
  if (last === undefined) return "not tried yet";
  if (last.status === null) return last.error ?? "no response";
  return `${last.status} ${firstLine(last.response_body)}`.trim();
}

function failingReceivers(scene: Scene): Need[] {
  const { state } = scene.namespace.engine;
  const needs: Need[] = [];
  for (const endpoint of state.endpoints()) {
    if (!isShown(scene, endpoint)) continue;
    const { webhook_id } = endpoint;
    const { total, items } = state.found(
      "deliveries",
      (one) => one.webhook_id === webhook_id && isFailing(one),
      0,
      LOOKED_AT,
    );
    const newest = items[0];
    if (newest === undefined) continue;
    const types = [...new Set(items.map((one) => one.event_type))];
    const next = items
      .map((one) => one.next_attempt_at)
      .filter((at) => at !== null)
      .sort()[0];
    needs.push({
      key: `failing-${webhook_id}`,
      at: newest.attempts.at(-1)!.at,
      tone: "bad",
      word: `${total} failing`,
      title: `${types.length === 1 ? types[0] : `${types.length} types of events`} → ${receiverName(endpoint)}`,
      to: href(scene, "webhooks", newest.delivery_id),
      sub: html`${failureOf(newest)} · ${next === undefined ? "given up" : html`next try in ${span(Date.parse(next) - scene.nowMs)}`}`,
      acts: html`${button({ does: `retry-all ${webhook_id}`, label: `Retry all ${total}`, to: `to ${receiverName(endpoint)}` })}`,
    });
  }
  return needs;
}

function heldDeliveries(scene: Scene): Need[] {
  const { namespace } = scene;
  const { state } = namespace.engine;
  const needs: Need[] = [];
  for (const endpoint of state.endpoints()) {
    if (!isShown(scene, endpoint) || endpoint.url === null) continue;
    const { webhook_id } = endpoint;
    const { total, items } = state.found(
      "deliveries",
      (one) => one.webhook_id === webhook_id && one.status === "pending" && one.attempts.length === 0,
      0,
      LOOKED_AT,
    );
    const held = items
      .map((one) => ({ one, hold: namespace.holdOf(one) }))
      .findLast(({ one, hold }) => hold !== null && one.task !== null);
    if (held?.hold === null || held === undefined) continue;
    needs.push({
      key: `held-${webhook_id}`,
      at: held.hold.since,
      tone: "warn",
      word: `${total} held`,
      title: `Webhooks wait for ${receiverName(endpoint)}`,
      to: href(scene, "webhooks", held.one.delivery_id),
      sub: held.hold.reason,
      acts: html`<a class="button" href="${href(scene, "webhooks", undefined, { receiver: webhook_id })}#edit">Re-aim…<span class="unseen"> ${receiverName(endpoint)}</span></a>`,
    });
  }
  return needs;
}

/** An error response in one line: its first detail, else its message. */
export function errorText({ responseBody }: JournalEntry): string {
  try {
    const { error } = JSON.parse(responseBody ?? "") as {
      error: { message: string; details?: Record<string, string> };
    };
    const [field] = Object.entries(error.details ?? {});
    return field === undefined ? error.message : `${field[0]} ${field[1]}`;
  } catch {
    return firstLine(responseBody);
  }
}

interface Kind {
  readonly newest: JournalEntry;
  readonly many: number;
}

/** Failed calls grouped by call and error, newest first. */
function failedCalls(scene: Scene): Kind[] {
  const kinds = new Map<string, Kind>();
  for (const entry of scene.namespace.journal.entries().slice(0, REQUESTS_LOOKED_AT)) {
    if (entry.inFlight || (entry.status !== null && entry.status < 400)) continue;
    const name = `${entry.fault !== null} ${entry.method} ${entry.operation ?? entry.path} ${entry.status} ${errorText(entry)}`;
    const { newest, many } = kinds.get(name) ?? { newest: entry, many: 0 };
    kinds.set(name, { newest, many: many + 1 });
  }
  return [...kinds.values()];
}

const times = ({ newest, many }: Kind): string => `${newest.status ?? "cut"}${many === 1 ? "" : ` ×${many}`}`;

/** The app's failed calls first, then failures caused by active faults. */
function refusedCalls(scene: Scene): Need[] {
  const kinds = failedCalls(scene);
  const own = kinds.filter(({ newest }) => newest.fault === null);
  const refused = own.slice(0, MAX_KINDS).map((kind): Need => {
    const { newest } = kind;
    const to = href(scene, "requests", String(newest.id));
    return {
      key: `request-${newest.operation ?? newest.path}-${newest.status}-${errorText(newest)}`,
      at: iso(newest.atMs),
      tone: "bad",
      word: times(kind),
      title: `${newest.method} ${newest.path}`,
      to,
      sub: errorText(newest),
      acts: html`${copy("Copy curl", requestCurl(scene, newest))}<a class="button" href="${to}">Open<span class="unseen"> ${newest.method} ${newest.path}</span></a>`,
    };
  });
  const rest = own.slice(MAX_KINDS);
  if (rest.length > 0)
    refused.push({
      key: "requests-more",
      tone: "bad",
      word: `${rest.length} more`,
      title: "Other failed calls",
      to: href(scene, "requests", undefined, { status: "4" }),
      sub: listed(rest),
    });
  const faulted = kinds.filter(({ newest }) => newest.fault !== null);
  if (faulted.length > 0)
    refused.push({
      key: "requests-faulted",
      at: iso(faulted[0]!.newest.atMs),
      tone: "warn",
      word: "fault",
      title: "Calls that failed by your own faults",
      to: href(scene, "faults"),
      sub: listed(faulted),
    });
  return refused;
}

function listed(kinds: readonly Kind[]): string {
  const said = kinds
    .slice(0, MAX_KINDS)
    .map((kind) => `${kind.newest.operation ?? kind.newest.path} ${times(kind)}`);
  if (kinds.length > MAX_KINDS) said.push(`${kinds.length - MAX_KINDS} more`);
  return said.join(", ");
}

function activeScenarios(scene: Scene): Need[] {
  const { state } = scene.namespace.engine;
  return [...state.tables.scenarios.values()]
    .filter(({ activated }) => activated > 0)
    .map(({ name, scenario }) => ({
      key: `scenario-${name}`,
      tone: "warn" as const,
      word: "active",
      title: `Scenario ${name} applies to everything new`,
      to: `${href(scene, "scenarios")}#${name}`,
      sub: scenario.description?.trim(),
      acts: button({ does: `deactivate ${name}`, label: "Turn off", to: `scenario ${name}` }),
    }));
}
