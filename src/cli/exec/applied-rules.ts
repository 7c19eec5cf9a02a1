import { listCharges, readNamespaceNames } from "../../core/reports/namespace-export.js";
import { missingStatusReason } from "../../core/reports/request-text.js";
import type { ScenarioView } from "../../core/schema/control-scenario-responses.js";
import type { ChargeRule, FaultRule, WebhookRule } from "../../core/schema/scenario-rules.js";
import { formatCount, toPrintableLine } from "../../core/schema/text-format.js";
import type { Sandbox } from "../../library/sandbox.js";
import { type CommandRunResult, controlClientOf, type DueTaskCounts, listInAllNamespaces } from "./plan.js";

/** Active scenarios, newest activation first. */
export async function listActiveScenarios(sandbox: Sandbox): Promise<ScenarioView[]> {
  return (await listAllScenarios(sandbox)).filter(({ active }) => active);
}

export async function listAllScenarios(
  sandbox: Sandbox,
  due: DueTaskCounts = NOTHING_DUE,
): Promise<ScenarioView[]> {
  const all: ScenarioView[] = [];
  const pages = controlClientOf(sandbox).pages<ScenarioView>("listScenarios", { of: "server" });
  for await (const page of pages) all.push(...page);
  const { mishaps } = await sandbox.run("getCoverage", { of: "server" });
  return all.map((scenario) => ({
    ...scenario,
    applied: appliedByNow(scenario, mishaps?.met.paid_late ?? 0, due.attempts),
  }));
}

/** Corrects the server's counts, which include late payments and repeated webhooks that are only scheduled. */
function appliedByNow(
  { charges = [], webhooks = [], applied }: ScenarioView,
  paidLate: number,
  attemptsDue: number,
): ScenarioView["applied"] {
  const counts = { ...applied };
  for (const [index, rule] of charges.entries())
    if (plansPaidLate(rule)) counts[`charges.${index}`] = Math.min(counts[`charges.${index}`] ?? 0, paidLate);
  for (const [index, { again_after }] of webhooks.entries())
    if (again_after !== undefined)
      counts[`webhooks.${index}`] = Math.max(0, (counts[`webhooks.${index}`] ?? 0) - attemptsDue);
  return counts;
}

function plansPaidLate({ timeline }: ChargeRule): boolean {
  const late = timeline.findIndex((entry) => "after_expiry" in entry);
  return late !== -1 && timeline.slice(late).some(({ to }) => to === "COMPLETED");
}

const NOTHING_DUE: DueTaskCounts = { steps: 0, attempts: 0 };

export async function countDueTasks(sandbox: Sandbox): Promise<DueTaskCounts> {
  const kinds = (await listInAllNamespaces<{ kind: string }>(sandbox, "listTasks")).map(({ kind }) => kind);
  return {
    steps: kinds.filter((kind) => kind === "timeline" || kind === "withdrawal").length,
    attempts: kinds.filter((kind) => kind === "attempt").length,
  };
}

/** Describes the first call, webhook or charge that a scenario hit, if a log still has it. */
export async function findFirstHit(sandbox: Sandbox, scenario: string): Promise<string | undefined> {
  type Row = Readonly<Record<string, unknown>>;
  const calls = await listInAllNamespaces<Row>(sandbox, "listRequests");
  const call = calls.findLast(({ fault }) => fault === scenario);
  if (call !== undefined) return `${call.method} ${call.path} → ${call.status ?? missingStatusReason(call)}`;
  const deliveries = await listInAllNamespaces<Row>(sandbox, "listDeliveries");
  const webhook = deliveries.findLast(({ mishap }) => Object(mishap).scenario === scenario);
  if (webhook !== undefined) return `${webhook.type} of ${webhook.charge_id ?? webhook.withdrawal_id}`;
  for (const name of await readNamespaceNames(controlClientOf(sandbox)))
    for (const { charge } of await listCharges(controlClientOf(sandbox, name)))
      if (Object(charge.sandbox).scenario === scenario) return `${charge.status} ${charge.charge_id}`;
  return undefined;
}

/** Describes the faults that were set over the control API and never applied. Leaves out deleted faults. */
export async function describeUnappliedFaults(sandbox: Sandbox): Promise<string[]> {
  type SetFault = FaultRule & { readonly fault_id: string; readonly applied: number };
  const faults = await listInAllNamespaces<SetFault>(sandbox, "listFaults");
  return faults.flatMap(({ fault_id, applied, ...rule }) =>
    applied === 0 ? [`fault ${fault_id} ${JSON.stringify(rule)}`] : [],
  );
}

/**
 * Formats how many more tasks are still due after this run than after the plain run, such as "5 webhooks".
 * Returns undefined if no more tasks are due. Also returns undefined if the scenario has faults, or has webhook rules
 * that do more than delay.
 */
export function formatUnfinishedTasks(
  { charges = [], withdrawals = [], webhooks = [], faults = [] }: ScenarioView,
  here: DueTaskCounts,
  plain: DueTaskCounts,
): string | undefined {
  if (faults.length > 0) return undefined;
  const steps = here.steps - plain.steps;
  const attempts = here.attempts - plain.attempts;
  if (webhooks.length === 0 && charges.length + withdrawals.length > 0)
    return steps > 0 ? formatCount(steps, "status change") : undefined;
  return attempts > 0 && webhooks.every(onlyDelays) ? formatCount(attempts, "webhook") : undefined;
}

function onlyDelays({ match: _match, fail_first, down, delay, again_after, ...rest }: WebhookRule): boolean {
  return Object.keys(rest).length === 0 && (fail_first ?? down ?? delay ?? again_after) !== undefined;
}

export function findUnappliedRules({ applied }: ScenarioView): string[] {
  return Object.keys(applied).filter((rule) => applied[rule] === 0);
}

/** Returns true if every count in `effectsText` is zero. */
export function isNotExercised(scenario: ScenarioView): boolean {
  return effectsOf(scenario).every(({ times }) => times === 0);
}

/** Text of the effects, such as "2 responses lost, 0 webhooks doubled". */
export function effectsText(scenario: ScenarioView): string {
  return effectsOf(scenario)
    .map(({ times, one, many }) => `${times} ${times === 1 ? one : many}`)
    .join(", ");
}

/** Id of the advice about requests whose unknown parts the service ignored. */
const TOLERATED = "tolerated";

/**
 * The reasons why a run fails under `--strict`. Reports unused rules only for scenario files of the user: shipped
 * scenarios have rules for features that an app may not use.
 *
 * @param names the scenarios by name or file, as the user named them
 */
export function findStrictFailures(
  { scenarios, unappliedFaults, advice }: Pick<CommandRunResult, "scenarios" | "unappliedFaults" | "advice">,
  names: readonly string[],
): string[] {
  const unused = scenarios.flatMap((scenario) => {
    if (isNotExercised(scenario)) return [`${scenario.name} was not exercised`];
    if (names.includes(scenario.name)) return [];
    return findUnappliedRules(scenario).map((rule) => `${rule} of ${scenario.name} never applied`);
  });
  const idle = unappliedFaults.map((fault) => `${fault} never applied`);
  const ignored = advice.filter(({ id }) => id === TOLERATED).map(({ why, example }) => `${why}: ${example}`);
  return [...unused, ...idle, ...ignored].map((text) => `--strict: ${toPrintableLine(text)}`);
}

type EffectNames<Rule> = readonly (readonly [
  hasEffect: (rule: Rule) => unknown,
  one: string,
  many: string,
])[];

/** Effects of fault rules. A rule counts under the first effect whose condition holds. */
const FAULTS: EffectNames<FaultRule> = [
  [({ drop }) => drop === "after" || drop === "hang", "response lost", "responses lost"],
  [({ drop }) => drop === "before", "request lost", "requests lost"],
  [({ respond }) => respond, "call failed", "calls failed"],
  [({ hold }) => hold, "response held", "responses held"],
  [({ delay_answer }) => delay_answer, "response delayed", "responses delayed"],
  [({ stale }) => stale, "read a moment old", "reads a moment old"],
  [({ delay }) => delay, "call delayed", "calls delayed"],
  [() => true, "call met", "calls met"],
];
const WEBHOOKS: EffectNames<WebhookRule> = [
  [({ drop }) => drop, "webhook lost", "webhooks lost"],
  [({ forged }) => forged, "webhook forged", "webhooks forged"],
  [({ copies = 1 }) => copies > 1, "webhook doubled", "webhooks doubled"],
  [({ response_lost }) => response_lost, "webhook response lost", "webhook responses lost"],
  [({ again_after }) => again_after, "webhook sent again later", "webhooks sent again later"],
  [({ swap }) => swap, "webhook swapped", "webhooks swapped"],
  [({ bad_signature }) => bad_signature, "webhook badly signed", "webhooks badly signed"],
  [({ stale }) => stale, "webhook signed long ago", "webhooks signed long ago"],
  [({ fail_first, down }) => fail_first || down, "webhook failed at first", "webhooks failed at first"],
  [({ delay }) => delay, "webhook delayed", "webhooks delayed"],
  [() => true, "webhook changed", "webhooks changed"],
];
const CHARGES: EffectNames<ChargeRule> = [
  [plansPaidLate, "payment came late", "payments came late"],
  [() => true, "charge", "charges"],
];

interface Effect {
  readonly one: string;
  readonly many: string;
  readonly times: number;
}

function effectsOf({ charges, withdrawals, webhooks, faults, applied }: ScenarioView): Effect[] {
  const effects = new Map<string, Effect>();
  const add = <Rule>(list: string, rules: readonly Rule[] = [], names: EffectNames<Rule>): void => {
    for (const [index, rule] of rules.entries()) {
      const [, one, many] = names.find(([hasEffect]) => hasEffect(rule))!;
      const times = (effects.get(one)?.times ?? 0) + (applied[`${list}.${index}`] ?? 0);
      effects.set(one, { one, many, times });
    }
  };
  add("faults", faults, FAULTS);
  add("webhooks", webhooks, WEBHOOKS);
  if (effects.size > 0) return [...effects.values()];
  add("charges", charges, CHARGES);
  add("withdrawals", withdrawals, [[() => true, "withdrawal", "withdrawals"]]);
  return [...effects.values()];
}
