import type { Glob } from "../schema/globs.js";
import type { Matcher, ValueMatch } from "../schema/matchers.js";
import { own } from "../schema/own.js";
import type { ChargeMatch, FaultRule, Scenario, WebhookRule, WithdrawalMatch } from "../schema/scenario.js";
import { anyGlobMatches, compiledGlob } from "./glob.js";
import { matcherFits, type Verdict } from "./matcher.js";

/** What a rule's `match` is held against: plain strings, whatever the record. */
export interface Subject {
  readonly fields: Readonly<Record<string, string | null | undefined>>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A glob, any of several, or a matcher. What cannot be compared does not match. */
function fits(wanted: unknown, actual: unknown): Verdict {
  return typeof wanted === "string" || Array.isArray(wanted)
    ? anyGlobMatches(wanted as Glob, actual as string | null | undefined)
    : matcherFits(wanted as Matcher, actual, fits);
}

/** The same, for what many are held against. */
function fitting(wanted: unknown): Condition["fits"] {
  if (typeof wanted !== "string") return (actual) => fits(wanted, actual);
  const isLike = compiledGlob(wanted);
  return (actual) => actual !== null && actual !== undefined && isLike(actual);
}

type Match = ChargeMatch | WithdrawalMatch | WebhookRule["match"] | FaultRule["match"];

/** Every field named must match; no fields match everything. */
export function matches(match: Match, subject: Subject): boolean {
  if (match === undefined) return true;
  for (const condition of conditionsIn(match))
    if (condition.fits(actualOf(condition, subject)) !== true) return false;
  return true;
}

interface Condition {
  readonly isMetadata: boolean;
  readonly name: string;
  readonly wanted: unknown;
  readonly fits: (actual: string | null | undefined) => Verdict;
}

/** A rule never changes, and is held against everything that is made: it is taken apart once. */
const TAKEN_APART = new WeakMap<object, readonly Condition[]>();

function conditionsIn(match: object): readonly Condition[] {
  let conditions = TAKEN_APART.get(match);
  if (conditions === undefined) TAKEN_APART.set(match, (conditions = conditionsOf(match)));
  return conditions;
}

function actualOf({ isMetadata, name }: Condition, { fields, metadata }: Subject) {
  return isMetadata ? own(metadata, name) : fields[name];
}

function conditionsOf(match: object): Condition[] {
  return Object.entries(match).flatMap(([name, wanted]): Condition[] => {
    if (wanted === undefined) return [];
    if (name !== "metadata") return [{ isMetadata: false, name, wanted, fits: fitting(wanted) }];
    return Object.entries(wanted as Record<string, ValueMatch>).map(([key, value]) => ({
      isMetadata: true,
      name: key,
      wanted: value,
      fits: fitting(value),
    }));
  });
}

export const RULE_KINDS = ["charges", "withdrawals", "webhooks", "faults"] as const;
type RuleKind = (typeof RULE_KINDS)[number];
type RuleOf<Kind extends RuleKind> = NonNullable<Scenario[Kind]>[number];

/** Where a rule stands. */
export interface RulePlace {
  readonly scenario: string;
  readonly kind: RuleKind;
  readonly index: number;
}

/** A rule that applies, and where it stands. */
export interface Choice<Rule> extends RulePlace {
  readonly rule: Rule;
}

/** What each rule of a scenario is called: `webhooks.0` is the first of its webhooks'. */
export function ruleNames(scenario: Scenario): string[] {
  return RULE_KINDS.flatMap((kind) => (scenario[kind] ?? []).map((_rule, index) => `${kind}.${index}`));
}

/**
 * The first rule of that kind that applies, scenario by scenario in the order given.
 */
export function firstRule<Kind extends RuleKind>(
  kind: Kind,
  scenarios: Iterable<Scenario>,
  subject: Subject,
  isLeft: (scenario: string, index: number, rule: RuleOf<Kind>) => boolean = () => true,
): Choice<RuleOf<Kind>> | undefined {
  for (const scenario of scenarios) {
    const rules = (scenario[kind] ?? []) as RuleOf<Kind>[];
    for (let index = 0; index < rules.length; index++) {
      const rule = rules[index]!;
      if (matches(rule.match, subject) && isLeft(scenario.name, index, rule))
        return { scenario: scenario.name, kind, index, rule };
    }
  }
  return undefined;
}
