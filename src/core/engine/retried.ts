import { firstRule, type Subject } from "../domain/scenario.js";
import { durationMs } from "../schema/duration.js";
import type { Scenario, WebhookRule } from "../schema/scenario.js";
import type { Delivery, Mishap } from "./records.js";
import type { Transaction } from "./transaction.js";

/** What goes wrong with a further attempt at a delivery. */
export type Retried = NonNullable<Mishap["retried"]>[number];

/** Counts the events that rules with `times` or `skip` have met: each event once, however many hear of it. */
export class EventCounts {
  readonly #tx: Transaction;
  /** Made for the first rule that counts: an event is made at every transition, and few rules count. */
  #asked: Map<string, boolean> | undefined;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** Whether a rule that matches applies to this event: after `skip`, at most `times`. */
  isItsTurn(scenario: string, index: number, { times, skip = 0 }: WebhookRule): boolean {
    if (times === undefined && skip === 0) return true;
    const key = `${index} ${scenario}`;
    const asked = (this.#asked ??= new Map<string, boolean>());
    const known = asked.get(key);
    if (known !== undefined) return known;
    const stored = this.#tx.get("scenarios", scenario);
    const met = (stored?.met?.[index] ?? 0) + 1;
    const isLeft = times === undefined || met <= skip + times;
    // What comes after is all the same to it.
    if (stored !== undefined && met <= skip + (times ?? 0))
      this.#tx.put("scenarios", scenario, { ...stored, met: { ...stored.met, [index]: met } });
    const isItsTurn = isLeft && met > skip;
    asked.set(key, isItsTurn);
    return isItsTurn;
  }
}

/** The first rule for each further attempt that one is for. */
export function retriesOf(
  scenarios: readonly Scenario[],
  subject: Subject,
  counts: EventCounts,
): readonly Retried[] {
  const rules = scenarios.flatMap(({ webhooks }) => webhooks ?? []);
  const attempts = new Set(rules.flatMap(({ attempt }) => attempt ?? []));
  return [...attempts].flatMap((attempt): Retried[] => {
    const found = firstRule(
      "webhooks",
      scenarios,
      subject,
      (name, index, rule) => rule.attempt === attempt && counts.isItsTurn(name, index, rule),
    );
    if (found === undefined) return [];
    const { delay, copies = 1, lose_answer = false } = found.rule;
    const delay_ms = delay === undefined ? 0 : durationMs(delay);
    return [{ attempt, scenario: found.scenario, index: found.index, delay_ms, copies, lose_answer }];
  });
}

/** What goes wrong with that attempt at a delivery; undefined where nothing does, and of the first. */
export function retriedAt({ mishap }: Delivery, attempt: number): Retried | undefined {
  return mishap?.retried?.find((one) => one.attempt === attempt);
}
