import { findRule, type MatchSubject } from "../domain/rule-matching.js";
import { durationToMs } from "../schema/duration.js";
import type { Scenario, WebhookRule } from "../schema/scenario-rules.js";
import type { Delivery, Mishap } from "./records.js";
import type { Transaction } from "./transaction.js";

/** Mishap of the second or a later attempt at a delivery. */
export type RetryMishap = NonNullable<Mishap["retried"]>[number];

/** Counts the events that match rules with `times` or `skip`. An event with several receivers counts once. */
export class RuleEventCounts {
  readonly #tx: Transaction;
  /** Results for this event, by rule. Created on first use, because few rules need counts. */
  #results: Map<string, boolean> | undefined;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** Returns true if the rule applies to this event. The rule skips `skip` events, then applies to `times` events. */
  isRuleDue(scenario: string, index: number, { times, skip = 0 }: WebhookRule): boolean {
    if (times === undefined && skip === 0) return true;
    const key = `${index} ${scenario}`;
    const results = (this.#results ??= new Map<string, boolean>());
    const result = results.get(key);
    if (result !== undefined) return result;
    const stored = this.#tx.get("scenarios", scenario);
    const met = (stored?.met?.[index] ?? 0) + 1;
    const isLeft = times === undefined || met <= skip + times;
    // Counts above the limit are not stored, because they do not change the result.
    if (stored !== undefined && met <= skip + (times ?? 0))
      this.#tx.put("scenarios", scenario, { ...stored, met: { ...stored.met, [index]: met } });
    const isItsTurn = isLeft && met > skip;
    results.set(key, isItsTurn);
    return isItsTurn;
  }
}

/** Returns one mishap for each attempt number that has a matching rule. The first matching rule counts. */
export function retryMishapsOf(
  scenarios: readonly Scenario[],
  subject: MatchSubject,
  counts: RuleEventCounts,
): readonly RetryMishap[] {
  const rules = scenarios.flatMap(({ webhooks }) => webhooks ?? []);
  const attempts = new Set(rules.flatMap(({ attempt }) => attempt ?? []));
  return [...attempts].flatMap((attempt): RetryMishap[] => {
    const found = findRule(
      "webhooks",
      scenarios,
      subject,
      (name, index, rule) => rule.attempt === attempt && counts.isRuleDue(name, index, rule),
    );
    if (found === undefined) return [];
    const { delay, copies = 1, response_lost = false } = found.rule;
    const delay_ms = delay === undefined ? 0 : durationToMs(delay);
    return [{ attempt, scenario: found.scenario, index: found.index, delay_ms, copies, response_lost }];
  });
}

/** Returns the mishap of a repeated attempt, if any. The mishap of the first attempt is in the delivery itself. */
export function retryMishapAt({ mishap }: Delivery, attempt: number): RetryMishap | undefined {
  return mishap?.retried?.find((retry) => retry.attempt === attempt);
}
