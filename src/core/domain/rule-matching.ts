import { getOwn } from "../schema/json-objects.js";
import type { Matcher, ValueMatch } from "../schema/matchers.js";
import type {
  ChargeMatch,
  FaultRule,
  Scenario,
  WebhookRule,
  WithdrawalMatch,
} from "../schema/scenario-rules.js";
import type { Glob } from "../schema/schema-checks.js";
import { evaluateMatcher, type MatchResult } from "./deep-match.js";
import { matchesAnyGlob } from "./glob.js";

/** A record in the form that rules match: all fields are strings. */
export interface MatchSubject {
  readonly fields: Readonly<Record<string, string | null | undefined>>;
  readonly metadata: Readonly<Record<string, string>>;
  /** Verdicts on the metadata by matcher: a long text is matched once for all endpoints and attempts. */
  verdicts?: Map<unknown, boolean>;
}

/** `expected` is a glob, a list of globs or a matcher. */
function matchesValue(expected: unknown, actual: unknown): MatchResult {
  return typeof expected === "string" || Array.isArray(expected)
    ? matchesAnyGlob(expected as Glob, actual as string | null | undefined)
    : evaluateMatcher(expected as Matcher, actual, matchesValue);
}

type Match = ChargeMatch | WithdrawalMatch | WebhookRule["match"] | FaultRule["match"];

/** Returns true if all fields of the rule match; a rule without fields matches everything. */
export function matchesRule(match: Match, subject: MatchSubject): boolean {
  for (const name in match) {
    const expected: unknown = match[name as keyof typeof match];
    if (name === "metadata") {
      for (const [key, value] of Object.entries((expected ?? {}) as Record<string, ValueMatch>))
        if (!matchesMetadata(value, key, subject)) return false;
    } else if (expected !== undefined && matchesValue(expected, subject.fields[name]) !== true) return false;
  }
  return true;
}

function matchesMetadata(expected: ValueMatch, key: string, subject: MatchSubject): boolean {
  const actual = getOwn(subject.metadata, key);
  if (typeof expected === "string") return matchesValue(expected, actual) === true;
  const verdicts = (subject.verdicts ??= new Map());
  let verdict = verdicts.get(expected);
  if (verdict === undefined) verdicts.set(expected, (verdict = matchesValue(expected, actual) === true));
  return verdict;
}

export const RULE_KINDS = ["charges", "withdrawals", "webhooks", "faults"] as const;
type RuleKind = (typeof RULE_KINDS)[number];
type RuleOf<Kind extends RuleKind> = NonNullable<Scenario[Kind]>[number];

export interface RuleRef {
  readonly scenario: string;
  readonly kind: RuleKind;
  readonly index: number;
}

export interface MatchedRule<Rule> extends RuleRef {
  readonly rule: Rule;
}

/** Returns names such as `webhooks.0`, the first rule for webhooks. */
export function ruleNames(scenario: Scenario): string[] {
  return RULE_KINDS.flatMap((kind) => (scenario[kind] ?? []).map((_rule, index) => `${kind}.${index}`));
}

/** Finds the first rule that matches and is not used up (`isLeft`), in the order of the scenarios. */
export function findRule<Kind extends RuleKind>(
  kind: Kind,
  scenarios: Iterable<Scenario>,
  subject: MatchSubject,
  isLeft: (scenario: string, index: number, rule: RuleOf<Kind>) => boolean = () => true,
): MatchedRule<RuleOf<Kind>> | undefined {
  for (const scenario of scenarios) {
    const rules = (scenario[kind] ?? []) as RuleOf<Kind>[];
    for (let index = 0; index < rules.length; index++) {
      const rule = rules[index]!;
      if (matchesRule(rule.match, subject) && isLeft(scenario.name, index, rule))
        return { scenario: scenario.name, kind, index, rule };
    }
  }
  return undefined;
}
