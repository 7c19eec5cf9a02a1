import { ruleNames } from "../../../core/domain/rule-matching.js";
import { type Attempt, attemptsOf } from "../../../core/reports/delivery-text.js";
import type { ChargeStatus, WithdrawalStatus } from "../../../core/schema/common.js";
import { errorText } from "../../../core/schema/error-text.js";
import { isSuccessStatus } from "../../../core/schema/http-response.js";
import { keepProcessRunning, systemWallClock } from "../../../core/time/wall-clock.js";
import type { LoadedScenario } from "../files.js";
import { flattenSteps } from "../loaded-steps.js";
import { STEPS } from "../steps/step-kinds.js";
import { Client } from "./client.js";
import { Cleanup, type RunContext } from "./context.js";
import { readNewestId, readRecordsSince, recordIdOf, StartState } from "./control-lists.js";
import { CannotRunError } from "./failure.js";
import { RuleUsage } from "./rule-usage.js";
import {
  canUseNamespace,
  freezeClock,
  type Lease,
  leaseNamespace,
  type RunTarget,
  readNamespaceKeys,
  snapshotState,
} from "./run-namespace.js";
import type { Outcome, RunReport, StepReport } from "./run-report.js";
import { isAppCallKind, MAX_RUN_STEPS, notRunReport, rejectOnAbort, runSteps } from "./run-steps.js";

export interface RunOptions extends RunTarget, Pick<RunContext, "runCommand"> {
  readonly manual?: ((text: string) => Promise<void>) | undefined;
  /** Ends the run early; its changes are undone. */
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((step: StepReport, count: number) => void) | undefined;
  readonly onStepBegin?: ((title: string, number: number, count: number) => void) | undefined;
  /** Called when the run has not passed, before its changes are undone; with its own namespace, if it has one. */
  readonly onFailed?:
    | ((steps: readonly StepReport[], namespace: string | undefined) => Promise<void>)
    | undefined;
}

export const NO_APP = "some steps call the app under test: give its URL with --app";

/** Runs the steps of a scenario in a sandbox, then restores rules, faults, clock and namespace. */
export async function runScenario(loaded: LoadedScenario, options: RunOptions): Promise<RunReport> {
  const startedMs = systemWallClock.nowMs();
  const steps: StepReport[] = [];
  const cleanup = new Cleanup();
  const { fetch, namespace, controlToken, signal, app, runCommand, manual = async () => {} } = options;
  const { runId } = loaded;
  const client = new Client({
    fetch,
    namespace: canUseNamespace(loaded, options) ? namespace : undefined,
    controlToken,
    runner: runId,
  });
  const stop = (): void => client.abort();
  signal?.addEventListener("abort", stop);
  const release = keepProcessRunning();
  const applied = new RuleUsage(client, loaded.ruleLines);
  const startState = new StartState(client);
  let error: string | undefined;
  const count = loaded.steps.length;
  const end = (report: StepReport): void => {
    steps.push(report);
    options.onStep?.(report, count);
  };
  let lease: Lease | undefined;
  let moved: string | undefined;
  let own: string | undefined;
  let rules: string | undefined;
  // Nothing of this run is left for another: the sandbox or the namespace is its own, or the state is restored.
  const isAlone = options.hasGivenState === true || !canUseNamespace(loaded, options) || loaded.isIsolated;
  try {
    const stage = await leaseNamespace(loaded, options, client, cleanup);
    ({ lease, moved } = stage);
    own = stage.name;
    if (own !== undefined) client.useNamespace(own);
    if (loaded.isIsolated) await snapshotState(client, runId, cleanup);
    if (app === undefined && flattenSteps(loaded.steps).some(({ kind }) => isAppCallKind(kind)))
      throw new CannotRunError(NO_APP);
    const context: RunContext = {
      client,
      ...(await readNamespaceKeys(client)),
      app,
      runCommand,
      ruleCounts: applied,
      startState,
      cleanup,
      requestManualStep: manual,
      prepare: async () => {
        await freezeClock(client, cleanup);
        if (!isAlone) {
          const end = await watchOpenPayments(client);
          cleanup.add("the open payments", async () => outcomeOf(steps, error) !== "passed" && (await end()));
        }
        rules = await putRules(client, loaded, cleanup);
        applied.begin(rules);
        await startState.record();
      },
      removeMishaps: async () => {
        const { faults, webhooks, source: _steps, ...outcomes } = loaded.scenario;
        if (rules === undefined || (faults ?? webhooks) === undefined) return;
        await client.callOrFail("putScenario", { ...outcomes, name: rules, force: true });
        // The sandbox counts the rules that stay from 0.
        applied.begin(rules);
      },
    };
    await rejectOnAbort(signal, context.prepare());
    const execution = { context, signal, file: loaded.file, budget: { left: MAX_RUN_STEPS } };
    const begin = (title: string, number: number) => options.onStepBegin?.(title, number, count);
    await runSteps(loaded.steps, loaded.scope, execution, { begin, end });
  } catch (caught) {
    error = errorText(caught);
    for (const [index, step] of loaded.steps.entries()) end(notRunReport(step, index + 1, loaded.file));
  }
  let blind: string[] = [];
  if (outcomeOf(steps, error) !== "error")
    error = await applied.readCounts().then(() => undefined, errorText);
  if (outcomeOf(steps, error) === "passed") blind = await findBlindSpots(loaded, startState);
  if (outcomeOf(steps, error) !== "passed") await options.onFailed?.(steps, own);
  const warnings = await cleanup.finish();
  await lease?.release();
  release();
  signal?.removeEventListener("abort", stop);
  const outcome = outcomeOf(steps, error);
  return {
    file: loaded.file,
    name: loaded.scenario.name,
    outcome,
    passed: outcome === "passed",
    run_id: loaded.runId,
    ...(moved === undefined ? {} : { namespace: moved }),
    duration_ms: systemWallClock.nowMs() - startedMs,
    steps,
    applied: applied.counts,
    ...applied.listUnusedRules(loaded.file),
    blind_spots: blind,
    ...(error === undefined ? {} : { error }),
    warnings,
  };
}

export function outcomeOf(steps: readonly StepReport[], error: string | undefined): Outcome {
  if (error !== undefined || steps.some(({ outcome }) => outcome === "error")) return "error";
  return steps.some(({ outcome }) => outcome === "failed") ? "failed" : "passed";
}

const MAX_NAME_LENGTH = 100;

/** Activates the file's rules with priority over other rules. Returns their unique name; undefined without rules. */
async function putRules(
  client: Client,
  loaded: LoadedScenario,
  cleanup: Cleanup,
): Promise<string | undefined> {
  const { source: _steps, ...rules } = loaded.scenario;
  if (ruleNames(rules).length === 0) return undefined;
  const name = await freeName(client, rules.name, loaded.runId);
  await activateRules(client, cleanup, { ...rules, name });
  return name;
}

/** Stores and activates rules until cleanup. Accepts unknown names (`force`): they were reported when the file was read. */
export async function activateRules(
  client: Client,
  cleanup: Cleanup,
  rules: { readonly name: string },
): Promise<void> {
  const { name } = rules;
  cleanup.add("the rules", async () => {
    await client.undo("deactivateScenario", { name });
    await client.undo("deleteScenario", { name });
  });
  await client.callOrFail("putScenario", { ...rules, force: true });
  await client.callOrFail("activateScenario", { name });
}

/** Returns the scenario's name. If the sandbox already has a scenario of that name, adds the run id. */
async function freeName(client: Client, name: string, runId: string): Promise<string> {
  const { status } = await client.control("getScenario", { name });
  if (status === 404) return name;
  const suffix = `.${runId}`;
  return `${name.slice(0, MAX_NAME_LENGTH - suffix.length)}${suffix}`;
}

/** How an open charge or withdrawal ends without money. */
const ENDS: Readonly<Partial<Record<ChargeStatus | WithdrawalStatus, ChargeStatus>>> = {
  PENDING: "CANCELLED",
  AWAITING_PAYMENT: "CANCELLED",
  PROCESSING: "FAILED",
};

const REASON = "the run that made it has failed";

/** Returns a function that ends the payments made since: open ones would send webhooks in the next run. */
async function watchOpenPayments(client: Client): Promise<() => Promise<void>> {
  const last = {
    charges: await readNewestId(client, "charges"),
    withdrawals: await readNewestId(client, "withdrawals"),
  };
  const openSince = async (list: "charges" | "withdrawals") =>
    (await readRecordsSince(client, list, last[list])).flatMap((row) => {
      const to = ENDS[row.status as ChargeStatus];
      return to === undefined ? [] : [{ id: recordIdOf(list, row), change: { to, reason: REASON } }];
    });
  return async () => {
    const [charges, withdrawals] = [await openSince("charges"), await openSince("withdrawals")];
    for (const { id, change } of charges) await client.undo("transitionCharge", { charge_id: id, ...change });
    for (const { id, change } of withdrawals)
      await client.undo("transitionWithdrawal", { withdrawal_id: id, ...change });
    if (charges.length + withdrawals.length > 0) await client.wait({ for: "idle", timeout: "5s" });
  };
}

/** Returns reasons why passing checks prove little; empty if there are none. */
async function findBlindSpots({ steps }: LoadedScenario, startState: StartState): Promise<string[]> {
  const kinds = flattenSteps(steps).map(({ kind }) => kind);
  if (!kinds.some((kind) => STEPS[kind].traits.includes("checks")))
    return ["no step checks anything: add an expectation, such as expect_charge"];
  if (kinds.includes("expect_delivery")) return [];
  const rows = await startState.since("deliveries", (row) =>
    attemptsOf(row).some(({ status }) => isSuccessStatus(status)),
  );
  const message = unacceptedWebhooksMessage(rows.filter(({ mishap }) => mishap === null).flatMap(attemptsOf));
  return message === undefined ? [] : [message];
}

/** Returns a message if there were webhook attempts and no receiver accepted one. */
export function unacceptedWebhooksMessage(attempts: readonly Pick<Attempt, "status">[]): string | undefined {
  if (attempts.length === 0 || attempts.some(({ status }) => isSuccessStatus(status))) return undefined;
  const statuses = [...new Set(attempts.map(({ status }) => status ?? "no response"))].join(", ");
  return `the app accepted none of ${attempts.length} webhook attempts (${statuses}): check the receiver's URL`;
}
