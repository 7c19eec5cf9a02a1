import { namespacesOf } from "../../client/collect.js";
import { pagesOf } from "../../control-client.js";
import type { Sandbox } from "../../sandbox.js";
import type { ScenarioView } from "../../schema/control-scenario-responses.js";
import type { ChargeRule, FaultRule, WebhookRule } from "../../schema/scenario.js";
import type { Covered } from "../required.js";
import { clientOf } from "./stories.js";

type SetFault = FaultRule & { readonly fault_id: string; readonly applied: number };

/** The scenarios that are active, the last activated first. */
export async function activeScenarios(sandbox: Sandbox): Promise<ScenarioView[]> {
  return (await allScenarios(sandbox)).filter(({ active }) => active);
}

/** @param due the tasks left at the end of a run */
export async function allScenarios(sandbox: Sandbox, due: Due = NOTHING_DUE): Promise<ScenarioView[]> {
  const all: ScenarioView[] = [];
  for await (const page of pagesOf<ScenarioView>("/_sandbox/scenarios?of=server", (path) =>
    sandbox.control("GET", path),
  ))
    all.push(...page);
  const { mishaps } = await sandbox.control<Covered>("GET", "/_sandbox/coverage?of=server");
  return all.map((scenario) => ({
    ...scenario,
    applied: asHappened(scenario, mishaps?.met.late_payment ?? 0, due.attempts),
  }));
}

/** Scheduled tasks that are left when a run ends: steps of payments, attempts to deliver a webhook. */
export interface Due {
  readonly steps: number;
  readonly attempts: number;
}

const NOTHING_DUE: Due = { steps: 0, attempts: 0 };

export async function dueAtEnd(sandbox: Sandbox): Promise<Due> {
  const due = { steps: 0, attempts: 0 };
  for (const name of await namespacesOf(clientOf(sandbox))) {
    const client = clientOf(sandbox, name);
    for await (const page of pagesOf<{ kind: string }>("/_sandbox/tasks", (path) => client.call("GET", path)))
      for (const { kind } of page) {
        if (kind === "attempt") due.attempts++;
        else if (kind === "timeline" || kind === "withdrawal") due.steps++;
      }
  }
  return due;
}

/**
 * Tasks still due when the run of a delaying scenario ended, compared with the plain run: "5 webhooks".
 * Undefined when nothing was, or when the scenario does more than delay.
 */
export function cutShort(
  { charges = [], withdrawals = [], webhooks = [], faults = [] }: ScenarioView,
  here: Due,
  plain: Due,
): string | undefined {
  if (faults.length > 0) return undefined;
  const steps = here.steps - plain.steps;
  const attempts = here.attempts - plain.attempts;
  if (webhooks.length === 0 && charges.length + withdrawals.length > 0)
    return steps > 0 ? `${steps} ${steps === 1 ? "status change" : "status changes"}` : undefined;
  return attempts > 0 && webhooks.every(isOnlyLater)
    ? `${attempts} ${attempts === 1 ? "webhook" : "webhooks"}`
    : undefined;
}

function isOnlyLater({ match: _match, fail_first, down, delay, again_after, ...rest }: WebhookRule): boolean {
  return Object.keys(rest).length === 0 && (fail_first ?? down ?? delay ?? again_after) !== undefined;
}

/** Faults set over the control API, in whatever namespace, that are there at the end and never were applied: the rule of each. */
export async function idleFaults(sandbox: Sandbox): Promise<string[]> {
  const idle: string[] = [];
  for (const name of await namespacesOf(clientOf(sandbox))) {
    const client = clientOf(sandbox, name);
    const pages = pagesOf<SetFault>("/_sandbox/faults", (path) => client.call("GET", path));
    for await (const page of pages)
      for (const { fault_id, applied, ...rule } of page)
        if (applied === 0) idle.push(`fault ${fault_id} ${JSON.stringify(rule)}`);
  }
  return idle;
}

/** Counts late payments when the money has come, and repeated webhooks when they are sent: both are applied earlier. */
function asHappened(
  { charges = [], webhooks = [], applied }: ScenarioView,
  paidLate: number,
  attemptsDue: number,
): ScenarioView["applied"] {
  const counts = { ...applied };
  for (const [index, rule] of charges.entries()) {
    const name = `charges.${index}`;
    if (isPaidLate(rule)) counts[name] = Math.min(counts[name] ?? 0, paidLate);
  }
  for (const [index, { again_after }] of webhooks.entries()) {
    const name = `webhooks.${index}`;
    if (again_after !== undefined) counts[name] = Math.max(0, (counts[name] ?? 0) - attemptsDue);
  }
  return counts;
}

function isPaidLate({ timeline }: ChargeRule): boolean {
  const late = timeline.findIndex((entry) => "after_expiry" in entry);
  return late !== -1 && timeline.slice(late).some(({ to }) => to === "COMPLETED");
}

export function isMishap({ kind, webhooks, faults }: ScenarioView): boolean {
  return (kind ?? (webhooks || faults ? "mishap" : "outcome")) === "mishap";
}

/** Whether another seed is another day. */
export function isRandom({ charges = [], withdrawals = [], faults = [] }: ScenarioView): boolean {
  return [...charges, ...withdrawals, ...faults].some(({ probability }) => probability !== undefined);
}

/** How often each of its rules was applied in the run, in whatever namespace. */
export function appliedRules({ applied }: ScenarioView): Readonly<Record<string, number>> {
  return applied;
}

/** Those of its rules that never were applied. */
export function neverApplied(scenario: ScenarioView): string[] {
  const applied = appliedRules(scenario);
  return Object.keys(applied).filter((rule) => applied[rule] === 0);
}

/** Whether nothing of it came to pass: beside what goes wrong, timelines are only the stage for it. */
export function isVacuous(scenario: ScenarioView): boolean {
  return whatHappened(scenario).every(({ times }) => times === 0);
}

/** "2 answers lost, 0 deliveries doubled". */
export function happenedText(scenario: ScenarioView): string {
  return whatHappened(scenario)
    .map(({ times, one, many }) => `${times} ${times === 1 ? one : many}`)
    .join(", ");
}

interface Happened {
  readonly one: string;
  readonly many: string;
  readonly times: number;
}

type Said<Rule> = readonly (readonly [is: (rule: Rule) => unknown, one: string, many: string])[];

const FAULTS: Said<FaultRule> = [
  [({ drop }) => drop === "after" || drop === "hang", "answer lost", "answers lost"],
  [({ drop }) => drop === "before", "request lost", "requests lost"],
  [({ respond }) => respond, "call failed", "calls failed"],
  [({ hold }) => hold, "answer held", "answers held"],
  [({ delay_answer }) => delay_answer, "answer delayed", "answers delayed"],
  [({ stale }) => stale, "read a moment old", "reads a moment old"],
  [({ delay }) => delay, "call delayed", "calls delayed"],
  [() => true, "call met", "calls met"],
];
const WEBHOOKS: Said<WebhookRule> = [
  [({ drop }) => drop, "webhook lost", "webhooks lost"],
  [({ forged }) => forged, "webhook forged", "webhooks forged"],
  [({ copies = 1 }) => copies > 1, "webhook doubled", "webhooks doubled"],
  [({ lose_answer }) => lose_answer, "webhook response lost", "webhook responses lost"],
  [({ again_after }) => again_after, "webhook sent again later", "webhooks sent again later"],
  [({ swap }) => swap, "webhook swapped", "webhooks swapped"],
  [({ bad_signature }) => bad_signature, "webhook badly signed", "webhooks badly signed"],
  [({ stale }) => stale, "webhook signed long ago", "webhooks signed long ago"],
  [({ fail_first, down }) => fail_first || down, "webhook failed at first", "webhooks failed at first"],
  [({ delay }) => delay, "webhook delayed", "webhooks delayed"],
  [() => true, "webhook changed", "webhooks changed"],
];

const CHARGES: Said<ChargeRule> = [
  [isPaidLate, "payment came late", "payments came late"],
  [() => true, "charge", "charges"],
];

function whatHappened(scenario: ScenarioView): Happened[] {
  const { charges, withdrawals, webhooks, faults } = scenario;
  const applied = appliedRules(scenario);
  const all = new Map<string, Happened>();
  const say = <Rule>(kind: string, rules: readonly Rule[] | undefined, said: Said<Rule>): void => {
    for (const [index, rule] of (rules ?? []).entries()) {
      const [, one, many] = said.find(([is]) => is(rule))!;
      const times = (all.get(one)?.times ?? 0) + (applied[`${kind}.${index}`] ?? 0);
      all.set(one, { one, many, times });
    }
  };
  say("faults", faults, FAULTS);
  say("webhooks", webhooks, WEBHOOKS);
  if (all.size === 0) {
    say("charges", charges, CHARGES);
    say("withdrawals", withdrawals, [[() => true, "withdrawal", "withdrawals"]]);
  }
  return [...all.values()];
}
