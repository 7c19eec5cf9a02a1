import type { Glob } from "../schema/globs.js";
import type {
  AmountMatch,
  ChargeMatch,
  FaultRule,
  Scenario,
  WebhookRule,
  WithdrawalMatch,
} from "../schema/scenario.js";
import { anyGlobMatches } from "./glob.js";
import { compare } from "./money.js";

/** What a rule's `match` is held against: plain strings, whatever the record. */
export interface Subject {
  readonly fields: Readonly<Record<string, string | null | undefined>>;
  readonly metadata: Readonly<Record<string, string>>;
}

function isDecimal(text: string): boolean {
  return /^-?\d{1,400}(\.\d{1,400})?$/.test(text);
}

/** Whether an amount is as a rule wants it: a glob, or within bounds. */
export function amountMatches(match: AmountMatch, amount: string | null | undefined): boolean {
  if (typeof match === "string" || Array.isArray(match)) return anyGlobMatches(match as Glob, amount);
  if (amount === null || amount === undefined || !isDecimal(amount)) return false;
  const { gt, gte, lt, lte } = match;
  const holds = (bound: string | undefined, test: (order: number) => boolean) =>
    bound === undefined || (isDecimal(bound) && test(compare(amount, bound)));
  return (
    holds(gt, (order) => order > 0) &&
    holds(gte, (order) => order >= 0) &&
    holds(lt, (order) => order < 0) &&
    holds(lte, (order) => order <= 0)
  );
}

const AMOUNT_FIELDS = new Set(["amount", "base_amount"]);

/** Every field named must match; no fields match everything. */
export function matches(
  match: ChargeMatch | WithdrawalMatch | WebhookRule["match"] | FaultRule["match"],
  subject: Subject,
): boolean {
  if (match === undefined) return true;
  for (const [field, wanted] of Object.entries(match)) {
    if (wanted === undefined) continue;
    if (field === "metadata") {
      for (const [key, glob] of Object.entries(wanted as Record<string, Glob>))
        if (!Object.hasOwn(subject.metadata, key) || !anyGlobMatches(glob, subject.metadata[key]))
          return false;
    } else if (AMOUNT_FIELDS.has(field)) {
      if (!amountMatches(wanted as AmountMatch, subject.fields[field])) return false;
    } else if (!anyGlobMatches(wanted as Glob, subject.fields[field])) return false;
  }
  return true;
}

type RuleKind = "charges" | "withdrawals" | "webhooks" | "faults";
type RuleOf<Kind extends RuleKind> = NonNullable<Scenario[Kind]>[number];

/** A rule that applies, and where it stands. */
export interface Choice<Rule> {
  readonly scenario: string;
  readonly index: number;
  readonly rule: Rule;
}

/**
 * The first rule of that kind that applies, scenario by scenario in the order given (contract section 4: asked for by
 * name, then the active ones last activated first, then `default`).
 */
export function firstRule<Kind extends RuleKind>(
  kind: Kind,
  scenarios: Iterable<Scenario>,
  subject: Subject,
  isLeft: (scenario: string, index: number, rule: RuleOf<Kind>) => boolean = () => true,
): Choice<RuleOf<Kind>> | undefined {
  for (const scenario of scenarios)
    for (const [index, rule] of ((scenario[kind] ?? []) as RuleOf<Kind>[]).entries())
      if (matches(rule.match, subject) && isLeft(scenario.name, index, rule))
        return { scenario: scenario.name, index, rule };
  return undefined;
}
