import type { RunStep, ScenarioRunSummary } from "../../core/namespace/injected-tools.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { Probe, ProbeRequest, ProbeRow, WebhookReport } from "../../core/schema/receiver-report.js";
import type { BookReport } from "../../core/schema/reconciliation.js";

/** A finished or running receiver check. */
export interface ReceiverCheckProgress {
  readonly webhookId: string;
  readonly url: string;
  /** Sandbox time, ISO 8601. */
  readonly at: string;
  /** Results so far. */
  readonly rows: Map<Probe, ProbeRow>;
  readonly sent: Map<Probe, ProbeRequest[]>;
  /** Set when the check has finished. */
  report?: WebhookReport;
  /** Set if the check could not run. */
  error?: string;
}

/** A finished or running scenario run. */
export interface ScenarioRunProgress {
  readonly name: string;
  readonly at: string;
  /** URL of the app under test. */
  readonly app: string | undefined;
  /** Number of steps; 0 until the first begins. */
  stepCount: number;
  /** Title of the running step. */
  currentStep?: string | undefined;
  readonly steps: RunStep[];
  /** Set when the run has finished. */
  report?: ScenarioRunSummary;
}

/** Latest reports of a namespace: in memory, outside the namespace's state. */
export interface Reports {
  receiver?: ReceiverCheckProgress;
  /** `lines`: line number at which each row begins. */
  books?: { readonly at: string; readonly report: BookReport; readonly lines: readonly number[] };
  run?: ScenarioRunProgress;
}

const ALL = new WeakMap<Namespace, Reports>();

export function reportsOf(namespace: Namespace): Reports {
  let reports = ALL.get(namespace);
  if (reports === undefined) ALL.set(namespace, (reports = {}));
  return reports;
}

export function isCheckDone({ report, error }: ReceiverCheckProgress): boolean {
  return report !== undefined || error !== undefined;
}

/** Counts steps that call the app under test, nested ones included. */
export function countAppSteps(steps: unknown): number {
  if (!Array.isArray(steps)) return 0;
  return steps.reduce((sum: number, step: unknown) => {
    if (Array.isArray(step)) return sum + countAppSteps(step);
    if (typeof step !== "object" || step === null) return sum;
    const { steps: within, parallel } = step as { readonly steps?: unknown; readonly parallel?: unknown };
    return (
      sum + ("app" in step || "reconcile" in step ? 1 : 0) + countAppSteps(within) + countAppSteps(parallel)
    );
  }, 0);
}
