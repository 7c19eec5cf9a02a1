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

/** True if a fault makes the response itself, or lets none through. */
export function replacesResponse({ respond, drop }: FaultRule): boolean {
  return respond !== undefined || drop !== undefined;
}

/** A fault's part in a call: `fault createQuote → 503`, or `delayed 200ms by a fault` if the response is the call's own. */
export function faultText(source: string, rule: FaultRule): string {
  const scenario = !source.startsWith("flt_") && `scenario ${source}`;
  if (replacesResponse(rule))
    return `${scenario ? `${scenario}:` : "fault"} ${matchText(rule)} → ${effectText(rule).replace(/^return /, "")}`;
  const { delay, delay_answer, hold, stale } = rule;
  const delays = [delay, delay_answer].filter(Boolean).join(" and ");
  const effects = [delays && `delayed ${delays}`, hold && `held until ${hold}`, stale && "read late"];
  return `${effects.filter(Boolean).join(", ")} by ${scenario || "a fault"}`;
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
