// Describes faults: the calls they match and their effect.
import type { FaultRule } from "../schema/scenario-rules.js";

export function conditionText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function matchText({ match = {} }: FaultRule): string {
  const { operation = "any call", ...fields } = match;
  const conditions = Object.entries(fields).map(([name, value]) => `${name} ${conditionText(value)}`);
  return [conditionText(operation), ...conditions].join(", ");
}

export function effectText(rule: FaultRule): string {
  const { respond, delay, delay_answer, drop, hold, stale } = rule;
  return [
    respond !== undefined &&
      `return ${respond.status}${respond.code === undefined ? "" : ` ${respond.code}`}`,
    delay !== undefined && `${delay} before the work`,
    delay_answer !== undefined && `${delay_answer} after the work`,
    drop !== undefined && (drop === "hang" ? "never respond" : `drop the connection ${drop} the work`),
    hold !== undefined && `hold the response until ${hold}`,
    stale !== undefined &&
      (stale === "last_change" ? "reads as before the last change" : `reads as of ${stale} ago`),
  ]
    .filter(Boolean)
    .join(", ");
}
