import { isDeepStrictEqual } from "node:util";
import { CHARGE_STATUS_RULES } from "../../core/domain/charge-transition.js";
import { evaluateMatcher } from "../../core/domain/deep-match.js";
import { RULE_KINDS } from "../../core/domain/rule-matching.js";
import {
  planEntry,
  type SimulatedStep,
  type StatusRules,
  simulateTimeline,
  type TimelineEntry,
} from "../../core/domain/timeline.js";
import { WITHDRAWAL_STATUS_RULES } from "../../core/domain/withdrawal.js";
import { isJsonObject } from "../../core/schema/json-objects.js";
import { COMPARISON_OPERATORS, hasVariable } from "../../core/schema/matchers.js";
import type { FaultRule, Scenario, WebhookRule } from "../../core/schema/scenario-rules.js";
import { DEFAULT_SETTINGS } from "../../core/schema/settings.js";
import { formatDuration, parseDuration } from "../../core/schema/time.js";
import type { RawStep } from "./loaded-steps.js";
import type { StepKind } from "./steps/step-kinds.js";

/** Valid content that has no effect at run time. */
export interface ScenarioWarning {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type Path = ScenarioWarning["path"];
type Rule = Readonly<Record<string, unknown>> & { readonly match?: object | undefined };

export function ruleWarnings(scenario: Scenario): ScenarioWarning[] {
  const warnings = RULE_KINDS.flatMap((kind) => {
    const rules: readonly Rule[] = scenario[kind] ?? [];
    return rules.flatMap(({ match, probability }, rule) => {
      const by = shadowingRule(rules, rule);
      const shadowed = `never applies: rule ${by + 1} matches everything this rule matches`;
      const unlikely = "is 0: the rule never applies";
      return [
        ...(by === -1 ? [] : [{ path: [kind, rule], message: shadowed }]),
        ...(probability === 0 ? [{ path: [kind, rule, "probability"], message: unlikely }] : []),
        ...impossibleExpectations(match, [kind, rule, "match"]),
      ];
    });
  });
  return [
    ...warnings,
    ...(scenario.webhooks ?? []).flatMap(webhookWarnings),
    ...(scenario.faults ?? []).flatMap((rule, index) => faultWarnings(rule, ["faults", index])),
  ];
}

/** Fields that limit how often a rule applies. A rule with such a field does not shadow a later rule. */
const LIMITS = ["probability", "times", "skip", "down"];

/** Finds the earlier rule that shadows a rule completely; -1 if there is none. */
function shadowingRule(rules: readonly Rule[], index: number): number {
  const { match = {}, attempt } = rules[index]!;
  return rules
    .slice(0, index)
    .findIndex(
      (earlier) =>
        !LIMITS.some((word) => earlier[word] !== undefined) &&
        earlier.attempt === attempt &&
        (Object.keys(earlier.match ?? {}).length === 0 || isDeepStrictEqual(earlier.match, match)),
    );
}

/** Fields of a webhook rule that choose which deliveries it applies to. */
const SELECTORS = ["attempt", "times", "skip"];
const RETRY_EFFECTS = ["delay", "copies", "response_lost"];

/** Values without effect on a delivery. */
const NO_EFFECT: readonly unknown[] = [undefined, false, "0s"];

function webhookWarnings(rule: WebhookRule, index: number, all: readonly WebhookRule[]): ScenarioWarning[] {
  const { match: _match, drop, ...rest } = rule;
  const effects = Object.entries({ ...rest, copies: rest.copies === 1 ? undefined : rest.copies })
    .filter(([word, value]) => !NO_EFFECT.includes(value) && !(word === "fail_first" && value === 0))
    .map(([word]) => word)
    .filter((word) => !SELECTORS.includes(word));
  const withoutEffect = (words: readonly string[], reason: string): ScenarioWarning[] =>
    words.map((word) => ({ path: ["webhooks", index, word], message: `has no effect${reason}` }));
  if (rule.attempt !== undefined) {
    const unsupported = effects.filter((word) => !RETRY_EFFECTS.includes(word));
    if (drop === true) unsupported.push("drop");
    if (unsupported.length > 0)
      return withoutEffect(unsupported, ": a rule with attempt takes only delay, copies and response_lost");
  }
  if (drop === true) return withoutEffect(effects, ": the rule drops the webhook");
  const copyFields = effects.filter((word) => word === "at_once" || word === "ids");
  if ((rule.copies ?? 1) <= 1 && copyFields.length > 0) return withoutEffect(copyFields, " without copies");
  // A rule without effects is useful if another rule follows, because the first matching rule wins.
  if (effects.length > 0 || index < all.length - 1) return [];
  return [
    { path: ["webhooks", index], message: "has no effect: it changes nothing about the webhooks it matches" },
  ];
}

function faultWarnings(rule: FaultRule, path: Path): ScenarioWarning[] {
  const fields = (["respond", "delay_answer", "hold", "at_most"] as const).filter(
    (name) => rule[name] !== undefined,
  );
  if (rule.drop !== undefined)
    return fields.map((name) => ({
      path: [...path, name],
      message: "has no effect: the rule drops the response",
    }));
  if (rule.at_most === undefined || rule.hold !== undefined) return [];
  return [{ path: [...path, "at_most"], message: "has no effect without hold" }];
}

const EXPIRY_MS = DEFAULT_SETTINGS.limits.checkout_default_minutes * 60_000;

/** Warns of timeline entries that never take effect. Assumes the default expiry and no change outside the timeline. */
export function timelineWarnings({ charges = [], withdrawals = [] }: Scenario): ScenarioWarning[] {
  return [
    ...charges.flatMap(({ timeline }, rule) =>
      idleEntries("charge", CHARGE_STATUS_RULES, timeline, ["charges", rule, "timeline"]),
    ),
    ...withdrawals.flatMap(({ timeline }, rule) =>
      idleEntries("withdrawal", WITHDRAWAL_STATUS_RULES, timeline, ["withdrawals", rule, "timeline"]),
    ),
  ];
}

function idleEntries<Status extends string>(
  object: "charge" | "withdrawal",
  rules: StatusRules<Status>,
  timeline: readonly TimelineEntry<Status>[],
  path: Path,
): ScenarioWarning[] {
  const next = planEntry(timeline, 0, 0, undefined);
  const expiryMs = object === "charge" ? EXPIRY_MS : undefined;
  const created = { status: rules.first, expiredMs: undefined, expiryMs, next };
  const turns = [...simulateTimeline(rules, timeline, created, (dueMs) => dueMs)];
  return timeline.flatMap((entry, step) => {
    const turn = turns.find((candidate) => candidate.step === step);
    const warning = (message: string) => [{ path: [...path, step], message }];
    switch (turn?.verdict) {
      case "moves":
        return [];
      case "already":
        return warning(`has no effect: the ${object} is already ${turn.status}`);
      case "illegal":
        return warning(`never happens: a ${object} that is ${turn.status} cannot become ${entry.to}`);
      default:
        return warning(`never happens: ${unreachedReason(entry, turns)}`);
    }
  });
}

const LATE = "a late payment is written after_expiry";

function unreachedReason<Status extends string>(
  entry: TimelineEntry<Status>,
  turns: readonly SimulatedStep<Status>[],
): string {
  const expiry = turns.find(({ verdict, status }) => verdict === "moves" && status === "EXPIRED");
  if (expiry === undefined)
    return "after_expiry" in entry
      ? `a charge that is ${turns.at(-1)?.status} does not expire`
      : "it counts from an entry that waits for an expiry, which never comes";
  return expiry.step === null
    ? `the charge is ${expiry.before} until it expires after ${formatDuration(EXPIRY_MS)} (the default); ${LATE}`
    : `entry ${expiry.step + 1} of the timeline makes the charge EXPIRED, which ends it; ${LATE}`;
}

const EXPECTATION_FIELDS = ["expect", "match", "count"];

/** Warns of expectations in a step that no value can meet, and of fields without effect in a fault. */
export function impossibleStepWarnings(kind: StepKind, step: RawStep): ScenarioWarning[] {
  const fields =
    kind === "fault" || kind.startsWith("expect_") ? [...EXPECTATION_FIELDS, kind] : EXPECTATION_FIELDS;
  const rule = kind === "fault" && isJsonObject(step.fault) ? (step.fault as FaultRule) : undefined;
  return [
    ...fields.flatMap((field) => impossibleExpectations(step[field], [field])),
    ...(rule === undefined ? [] : faultWarnings(rule, ["fault"])),
  ];
}

function impossibleExpectations(value: unknown, path: Path = []): ScenarioWarning[] {
  if (Array.isArray(value))
    return value.flatMap((part, index) => impossibleExpectations(part, [...path, index]));
  if (!isJsonObject(value)) return [];
  const inner = Object.entries(value).flatMap(([key, part]) => impossibleExpectations(part, [...path, key]));
  const bounds = COMPARISON_OPERATORS.filter((word) => value[word] !== undefined);
  const isResolved = bounds.every((word) => !hasVariable(value[word]));
  const emptyLists =
    Array.isArray(value.in) && value.in.length === 0
      ? [{ path: [...path, "in"], message: "is empty, so nothing matches" }]
      : [];
  if (!isResolved || !isEmptyRange(value, path.at(-1) === "count")) return [...inner, ...emptyLists];
  const text = bounds.map((word) => `${word} ${String(value[word])}`).join(" and ");
  return [...inner, ...emptyLists, { path, message: `can never be met: no value is ${text}` }];
}

function isEmptyRange(matcher: Readonly<Record<string, unknown>>, isWhole: boolean): boolean {
  return (["gt", "gte"] as const).some((low) =>
    (["lt", "lte"] as const).some((high) => {
      if (matcher[low] === undefined || matcher[high] === undefined) return false;
      const [least, most] = [comparable(matcher[low]), comparable(matcher[high])];
      const isInclusive = low === "gte" && high === "lte";
      if (isWhole && low === "gt" && high === "lt" && Number(most) - Number(least) === 1) return true;
      return evaluateMatcher({ [isInclusive ? "lte" : "lt"]: most }, least, () => false) === false;
    }),
  );
}

/** Converts a duration to milliseconds, so that bounds can be compared; leaves other values as they are. */
function comparable(bound: unknown): unknown {
  return typeof bound === "string" ? (parseDuration(bound) ?? bound) : bound;
}
