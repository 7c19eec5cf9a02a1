import { CHARGE_STATUS_RULES } from "../../../src/core/domain/charge-transition.js";
import { decideRetry } from "../../../src/core/domain/webhook-attempts.js";
import { WITHDRAWAL_STATUS_RULES } from "../../../src/core/domain/withdrawal.js";
import { DEFAULT_SETTINGS } from "../../../src/core/schema/settings.js";

type Arrow = readonly [from: string, to: string, label?: string];

function draw(first: string, arrows: readonly Arrow[]): string {
  const lines = arrows.map(
    ([from, to, label]) => `  ${from} --> ${to}${label === undefined ? "" : ` : ${label}`}`,
  );
  return ["```mermaid", "stateDiagram-v2", `  [*] --> ${first}`, ...lines, "```"].join("\n");
}

function arrowsOf(statuses: Readonly<Record<string, { readonly next: readonly string[] }>>): Arrow[] {
  return Object.entries(statuses).flatMap(([from, { next }]) => next.map((to) => [from, to] as const));
}

/** Every move of a charge that is allowed. */
export function chargeStates(): string {
  return draw(CHARGE_STATUS_RULES.first, arrowsOf(CHARGE_STATUS_RULES.statuses));
}

/** Every move of a withdrawal that is allowed. */
export function withdrawalStates(): string {
  return draw(WITHDRAWAL_STATUS_RULES.first, arrowsOf(WITHDRAWAL_STATUS_RULES.statuses));
}

const SCHEDULE = DEFAULT_SETTINGS.retry_schedule_ms;
/** Status of a delivery after a verdict. */
const AFTER = { delivered: "delivered", retry: "pending", give_up: "failed", disable: "failed" } as const;

/** Transitions of a delivery by the responses to it; deletion and manual retry have other sources. */
export function deliveryStates(): string {
  const after = (status: number, attempts: number) =>
    AFTER[decideRetry({ status, retryAfterMs: null }, attempts, SCHEDULE).next];
  return draw("pending", [
    ["pending", after(200, 1), "2xx"],
    ["pending", after(500, 1), "anything else, or no response"],
    ["pending", after(500, SCHEDULE.length + 1), `attempt ${SCHEDULE.length + 1} failed`],
    ["pending", after(410, 1), "410 (disables the endpoint)"],
    ["pending", "dropped", "endpoint deleted or disabled"],
    ["failed", "pending", "webhook retry"],
  ]);
}

/** When each attempt is made, after the one before. */
export function retryTable(): string {
  const rows = SCHEDULE.map((ms, index) => `| ${index + 2} | ${spanOf(ms)} |`);
  return ["| attempt | time after the one before |", "|---|---|", "| 1 | at once |", ...rows].join("\n");
}

function spanOf(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`;
}
