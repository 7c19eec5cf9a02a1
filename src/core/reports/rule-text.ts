// Describes rules: what they match and their effect.
import type { FaultRule, Scenario, WebhookRule } from "../schema/scenario-rules.js";
import { conditionsText, conditionText } from "../schema/text-format.js";

/** The rules of a scenario in a line each: `every charge → AWAITING_PAYMENT after 1s, FAILED after 2s (declined)`. */
export function scenarioRuleTexts({ charges = [], withdrawals = [], webhooks = [], faults = [] }: Scenario) {
  const timelines = { charge: charges, withdrawal: withdrawals };
  return [
    ...Object.entries(timelines).flatMap(([noun, rules]) =>
      rules.map(({ match, timeline, probability }, index) => {
        const steps = timeline.map((entry) => {
          const delay = "after" in entry ? `after ${entry.after}` : `${entry.after_expiry} after expiry`;
          return `${entry.to} ${delay}${entry.reason === undefined ? "" : ` (${entry.reason})`}`;
        });
        const subject =
          match === undefined
            ? `every ${index > 0 ? "other " : ""}${noun}`
            : `${noun} with ${conditionsText(match)}`;
        return `${subject}${probabilityText(probability)} → ${steps.join(", ") || "nothing follows"}`;
      }),
    ),
    ...webhooks.map(webhookRuleText),
    ...faults.map((rule) => {
      const { times, per = "customer", probability } = rule;
      const limit = times === undefined ? "" : `, ${times === 1 ? "once" : `${times} times`} for each ${per}`;
      return `${matchText(rule)} → ${effectText(rule)}${limit}${probabilityText(probability)}`;
    }),
  ];
}

const probabilityText = (probability: number | undefined) =>
  probability === undefined ? "" : `, with probability ${probability}`;

export function matchText({ match = {} }: FaultRule): string {
  const { operation = "any call", ...fields } = match;
  return [conditionText(operation), conditionsText(fields)].filter(Boolean).join(", ");
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

export function webhookRuleText(rule: WebhookRule): string {
  const { type = "every event", ...fields } = rule.match ?? {};
  const { copies, again_after, delay, stale, fail_first, down, attempt, times, skip } = rule;
  const subject = [attempt !== undefined && `attempt ${attempt} of`, conditionText(type)]
    .filter(Boolean)
    .join(" ");
  const effects = [
    rule.drop && "not sent",
    rule.swap && "sent after the next event",
    delay !== undefined && `sent ${delay} later`,
    copies !== undefined &&
      `sent ${copies} times${rule.at_once ? " at once" : ""}${rule.ids === "new" ? ", each with a new id" : ""}`,
    again_after !== undefined && `sent again ${again_after} later`,
    rule.response_lost && "the response is lost",
    rule.bad_signature && "signed with a wrong secret",
    rule.forged && "a forged event is sent too",
    stale !== undefined && `signed ${stale} ago`,
    fail_first !== undefined && `the first ${fail_first} attempts fail`,
    down !== undefined && downText(down),
    times !== undefined && `${times} times`,
    skip !== undefined && `not the first ${skip}`,
  ];
  return `${[subject, conditionsText(fields)].filter(Boolean).join(", ")} → ${effects.filter(Boolean).join(", ")}`;
}

function downText(down: NonNullable<WebhookRule["down"]>): string {
  if (typeof down === "string") return `the receiver is down for ${down}`;
  const { from, answer } = down;
  return `the receiver is down for ${down.for}${from === undefined ? "" : `, after ${from}`}${answer === undefined ? "" : ` (${answer})`}`;
}

/** How often a fault applies, after `applied` hits: ` · 1 for each customer · skips the first 2`. */
export function limitText(
  { skip = 0, probability, times, per = "customer" }: FaultRule,
  applied = 0,
): string {
  const share = probability === undefined ? "" : ` · ${Math.round(Number(probability) * 100)} % of calls`;
  const scope = times !== undefined && per !== "request" ? ` · ${times} for each ${per}` : "";
  // Calls without a customer count together with all others; an order always has a count of its own.
  const usedUp = per === "customer" ? "used up for calls without a customer, " : "";
  const rest = scope !== "" && applied >= times! ? ` · ${usedUp}live for a new ${per}` : "";
  return `${scope}${rest}${skip > 0 ? ` · skips the first ${skip}` : ""}${share}`;
}
