import { isDeepStrictEqual } from "node:util";
import { RULE_KINDS } from "../../core/domain/rule-matching.js";
import type { Scenario, WebhookRule } from "../../core/schema/scenario-rules.js";
import { impossibleExpectations } from "./impossible-expectations.js";
import type { Warning } from "./timeline-warnings.js";

type Rule = Readonly<Record<string, unknown>> & { readonly match?: object | undefined };

/** Warns of rules that can never apply or have no effect. */
export function ruleWarnings(scenario: Scenario): Warning[] {
  return [
    ...RULE_KINDS.flatMap((kind) =>
      shadowedRules(scenario[kind] ?? []).map(([rule, by]) => ({
        path: [kind, rule],
        message: `never applies: rule ${by + 1} matches everything this rule matches`,
      })),
    ),
    ...RULE_KINDS.flatMap((kind) =>
      ((scenario[kind] ?? []) as readonly Rule[]).flatMap(({ probability }, rule) =>
        probability === 0
          ? [{ path: [kind, rule, "probability"], message: "is 0: the rule never applies" }]
          : [],
      ),
    ),
    ...RULE_KINDS.flatMap((kind) =>
      ((scenario[kind] ?? []) as readonly Rule[]).flatMap(({ match }, rule) =>
        impossibleExpectations(match, [kind, rule, "match"]),
      ),
    ),
    ...(scenario.webhooks ?? []).flatMap((rule, index, all) => webhookWarnings(rule, index, all)),
  ];
}

/** Fields with which a rule leaves some matches to the next rule. */
const LIMITS = ["probability", "times", "skip", "down"];

/** Finds the rules that an earlier rule shadows completely. */
function shadowedRules(rules: readonly Rule[]): (readonly [rule: number, by: number])[] {
  return rules.flatMap(({ match = {} }, index) => {
    const by = rules
      .slice(0, index)
      .findIndex(
        (earlier) =>
          !LIMITS.some((word) => earlier[word] !== undefined) &&
          earlier.attempt === rules[index]!.attempt &&
          (isEmpty(earlier.match ?? {}) || isDeepStrictEqual(earlier.match, match)),
      );
    return by === -1 ? [] : [[index, by] as const];
  });
}

function isEmpty(match: object): boolean {
  return Object.keys(match).length === 0;
}

/** Fields that select deliveries. */
const SELECTORS = ["attempt", "times", "skip"];
/** Effects that a rule can have on retries. */
const RETRY_EFFECTS = ["delay", "copies", "lose_answer"];

/** Values without effect on a delivery. */
const NO_EFFECT: readonly unknown[] = [undefined, false, "0s"];

function webhookWarnings(rule: WebhookRule, index: number, all: readonly WebhookRule[]): Warning[] {
  const { match: _match, drop, ...rest } = rule;
  const effects = Object.entries({ ...rest, copies: rest.copies === 1 ? undefined : rest.copies })
    .filter(([word, value]) => !NO_EFFECT.includes(value) && !(word === "fail_first" && value === 0))
    .map(([word]) => word)
    .filter((word) => !SELECTORS.includes(word));
  const unsupported =
    rule.attempt === undefined ? [] : effects.filter((word) => !RETRY_EFFECTS.includes(word));
  if (rule.attempt !== undefined && (unsupported.length > 0 || drop === true))
    return [...unsupported, ...(drop === true ? ["drop"] : [])].map((word) => ({
      path: ["webhooks", index, word],
      message: "has no effect: a rule with attempt takes only delay, copies and lose_answer",
    }));
  if (drop === true)
    return effects.map((word) => ({
      path: ["webhooks", index, word],
      message: "has no effect: the rule drops the webhook",
    }));
  const copyFields =
    (rule.copies ?? 1) > 1 ? [] : effects.filter((word) => word === "at_once" || word === "ids");
  if (copyFields.length > 0)
    return copyFields.map((word) => ({
      path: ["webhooks", index, word],
      message: "has no effect without copies",
    }));
  // A rule without effects is useful before another rule: it exempts the webhooks it matches.
  if (effects.length > 0 || index < all.length - 1) return [];
  return [
    { path: ["webhooks", index], message: "has no effect: it changes nothing about the webhooks it matches" },
  ];
}
