import type { RunStep, ScenarioRunSummary } from "../../core/namespace/injected-tools.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { errorText } from "../../core/schema/error-text.js";
import type { Probe, ProbeRequest, ProbeRow, WebhookReport } from "../../core/schema/receiver-report.js";
import { normalizeWebhookUrl } from "../../core/schema/receiver-url.js";
import { isRefusal, type Refusal, refuse, refuseInvalid } from "../../core/schema/refusals.js";
import { iso } from "../../core/schema/time.js";
import type { ActionResult, DashboardAction, FormSubmission } from "./api-calls.js";
import { formatCount } from "./components.js";
import { dashboardPath } from "./page-context.js";

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
  /** The last check of each receiver, by its id; the newest is the last. */
  readonly receivers: Map<string, ReceiverCheckProgress>;
  run?: ScenarioRunProgress;
}

const ALL = new WeakMap<Namespace, Reports>();

export function reportsOf(namespace: Namespace): Reports {
  let reports = ALL.get(namespace);
  if (reports === undefined) ALL.set(namespace, (reports = { receivers: new Map() }));
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

/** Buttons whose result is a report on the page. */
export const REPORT_ACTIONS = {
  check: checkReceiver,
  run: runScenario,
} satisfies Record<string, DashboardAction>;

/** Limits per probe: requests stored, and characters of a body. */
const MAX_SENT = 6;
const MAX_CHARS = 4_096;

/** Runs the probes of `check-webhook` against a receiver; the page shows each result as it arrives. */
async function checkReceiver(press: FormSubmission): Promise<ActionResult | Refusal> {
  const { namespaces, namespace } = press;
  const webhookId = press.fields.webhook_id ?? "";
  const endpoint = namespace.engine.state.get("endpoints", webhookId);
  if (endpoint === undefined) return refuse("NOT_FOUND", "That receiver has been deleted");
  const { url, secret, signature } = endpoint;
  if (url === null || !/^https?:/.test(url))
    return refuseInvalid({ url: "there is none to send to: events of this receiver stay in this process" });
  const { receivers } = reportsOf(namespace);
  const running = [...receivers.values()].find((check) => !isCheckDone(check));
  if (running !== undefined) return busy(running.url, "checked");
  const at = iso(namespace.nowMs());
  const check: ReceiverCheckProgress = { webhookId, url, at, rows: new Map(), sent: new Map() };
  receivers.delete(webhookId);
  receivers.set(webhookId, check);
  const notify = () => namespace.events.emit("reported", "receiver");
  notify();
  try {
    check.report = await namespaces.options.checkReceiver({
      url,
      secret,
      signature,
      onRow: (row) => {
        check.rows.set(row.probe, row);
        notify();
      },
      onSent: (request) => storeRequest(check, request),
    });
    // The final report may complete rows that `onRow` received.
    for (const row of check.report.probes) check.rows.set(row.probe, row);
  } catch (error) {
    check.error = errorText(error);
  }
  notify();
  return { ...outcomeOf(check), to: `${dashboardPath(namespace.name)}/checks#probes` };
}

function busy(name: string, verb: string): Refusal {
  return refuse("VALIDATION_ERROR", `${name} is being ${verb}. Try again when that is done.`);
}

function storeRequest({ sent }: ReceiverCheckProgress, request: ProbeRequest): void {
  const stored = sent.get(request.probe) ?? [];
  if (stored.length === MAX_SENT) return;
  const { body } = request;
  stored.push({ ...request, body: body.length > MAX_CHARS ? `${body.slice(0, MAX_CHARS)}…` : body });
  sent.set(request.probe, stored);
}

function outcomeOf({ url, report, error }: ReceiverCheckProgress): ActionResult {
  if (report === undefined) return { text: `The check could not run: ${error}`, isBad: true };
  const { outcome, findings } = report;
  if (outcome === "unreachable") return { text: `${url} cannot be reached: ${report.error}`, isBad: true };
  if (findings.length === 0) return { text: `${url}: no fault was found` };
  return { text: `${url}: ${findingCounts(report)}`, isBad: outcome === "failed" };
}

/** Findings of a check by severity. */
export function findingCounts({ findings }: WebhookReport): string {
  const mustFix = findings.filter(({ severity }) => severity === "must").length;
  return `${mustFix} to fix, ${findings.length - mustFix} to review`;
}

/** Runs a scenario's steps. The page shows finished steps during the run. */
async function runScenario(press: FormSubmission): Promise<ActionResult | Refusal> {
  const { namespaces, namespace, fetch, fields } = press;
  const { name = "" } = fields;
  const source = namespace.engine.state.get("scenarios", name)?.scenario.source;
  if (source === undefined) return refuseInvalid({ name: "the scenario has no steps to run" });
  const reports = reportsOf(namespace);
  if (reports.run !== undefined && reports.run.report === undefined) return busy(reports.run.name, "run");
  const appField = fields.app || undefined;
  const app = appField === undefined ? undefined : normalizeWebhookUrl(appField);
  if (appField === undefined ? countAppSteps(source.steps) > 0 : app === undefined)
    return refuseInvalid({ app: "must be your app's URL, such as http://localhost:3000" });
  const at = iso(namespace.nowMs());
  const run: ScenarioRunProgress = { name, at, app: appField, stepCount: 0, steps: [] };
  const update = (progress: Partial<ScenarioRunProgress>) => {
    Object.assign(run, progress);
    namespace.events.emit("reported", "run");
  };
  reports.run = run;
  update({});
  let report: Awaited<ReturnType<typeof namespaces.options.scenarios.run>> | undefined;
  try {
    report = await namespaces.options.scenarios.run(namespace, {
      source,
      vars: {},
      app,
      fetch,
      onStepBegin: (title, _number, of) => update({ stepCount: of, currentStep: title }),
      onStep: (step) => update({ steps: [...run.steps, step], currentStep: undefined }),
    });
  } finally {
    // An internal error must not block the next run.
    if (report === undefined || isRefusal(report)) delete reports.run;
    update({ currentStep: undefined });
  }
  if (isRefusal(report)) return report;
  update({ report });
  const { passed, steps, error } = report;
  const failed = steps.find(({ outcome }) => outcome === "failed" || outcome === "error");
  return {
    text: passed
      ? `${name}: ${formatCount(steps.length, "step")} passed`
      : `${name} failed: ${error ?? `${failed?.title}: ${failed?.failure?.message}`}`,
    isBad: !passed,
    to: `${dashboardPath(namespace.name)}/scenarios/${encodeURIComponent(name)}#run`,
  };
}
