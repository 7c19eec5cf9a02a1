import { isDeepStrictEqual } from "node:util";
import { RULE_KINDS } from "../../core/domain/scenario.js";
import type { Scenario, WebhookRule } from "../../core/schema/scenario.js";
import { unmeetable } from "./unmeetable.js";
import type { Warning } from "./warnings.js";

type Rule = Readonly<Record<string, unknown>> & { readonly match?: object | undefined };

/** Rules that never apply, or do nothing when they do, whatever charges and calls there will be. */
export function shapeWarnings(scenario: Scenario): Warning[] {
  return [
    ...RULE_KINDS.flatMap((kind) =>
      covered(scenario[kind] ?? []).map(([rule, by]) => ({
        path: [kind, rule],
        message: `never applies: rule ${by + 1} takes all that this one would`,
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
        unmeetable(match, [kind, rule, "match"]),
      ),
    ),
    ...(scenario.webhooks ?? []).flatMap((rule, index, all) => webhookWarnings(rule, index, all)),
  ];
}

/** Words of a rule that let some of what matches pass on to the next. */
const PASSING = ["probability", "times", "skip", "down"];

/** Each rule that has one before it which takes all that matches it, and which that is. */
function covered(rules: readonly Rule[]): (readonly [rule: number, by: number])[] {
  return rules.flatMap(({ match = {} }, index) => {
    const by = rules
      .slice(0, index)
      .findIndex(
        (earlier) =>
          !PASSING.some((word) => earlier[word] !== undefined) &&
          earlier.attempt === rules[index]!.attempt &&
          (isEmpty(earlier.match ?? {}) || isDeepStrictEqual(earlier.match, match)),
      );
    return by === -1 ? [] : [[index, by] as const];
  });
}

function isEmpty(match: object): boolean {
  return Object.keys(match).length === 0;
}

/** Words that say which deliveries are meant, and not what goes wrong with them. */
const WHICH = ["attempt", "times", "skip"];
/** What can go wrong with an attempt that is made again. */
const OF_ATTEMPTS = ["delay", "copies", "lose_answer"];

/** Values of a word that leave a delivery as it is. */
const NOTHING: readonly unknown[] = [undefined, false, "0s"];

function webhookWarnings(rule: WebhookRule, index: number, all: readonly WebhookRule[]): Warning[] {
  const { match: _which, drop, ...rest } = rule;
  const does = Object.entries({ ...rest, copies: rest.copies === 1 ? undefined : rest.copies })
    .filter(([word, value]) => !NOTHING.includes(value) && !(word === "fail_first" && value === 0))
    .map(([word]) => word)
    .filter((word) => !WHICH.includes(word));
  const ofFirst = rule.attempt === undefined ? [] : does.filter((word) => !OF_ATTEMPTS.includes(word));
  if (rule.attempt !== undefined && (ofFirst.length > 0 || drop === true))
    return [...ofFirst, ...(drop === true ? ["drop"] : [])].map((word) => ({
      path: ["webhooks", index, word],
      message: "has no effect: of a further attempt there is only delay, copies and lose_answer",
    }));
  if (drop === true)
    return does.map((word) => ({
      path: ["webhooks", index, word],
      message: "has no effect: the rule drops what it matches",
    }));
  const ofCopies = (rule.copies ?? 1) > 1 ? [] : does.filter((word) => word === "at_once" || word === "ids");
  if (ofCopies.length > 0)
    return ofCopies.map((word) => ({
      path: ["webhooks", index, word],
      message: "has no effect: it says how copies are sent, and there are none",
    }));
  // Before another rule it says what is to be left alone.
  if (does.length > 0 || index < all.length - 1) return [];
  return [{ path: ["webhooks", index], message: "does nothing to what it matches" }];
}
