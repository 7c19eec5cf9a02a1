import type { Difference } from "../scenario/running/failure.js";
import type { StepReport } from "../scenario/running/report.js";
import type { RunOutcome } from "../scenario/running/session.js";
import { counted } from "../schema/printable.js";
import type { Role } from "./compile.js";
import type { Oracle } from "./flow.js";
import { markingOf } from "./marking.js";
import type { Seen, SeenCharge } from "./seen.js";
import { failedStep, hasFailed } from "./trace.js";

/** The end of what is said of a call to an app that is not there. */
export const NOBODY = "nothing listens there";

/** Why a run has failed. */
export interface Verdict {
  readonly oracle: Oracle;
  readonly message: string;
  /** The app has gone or answers no more: no further run would tell anything. */
  readonly isOver?: boolean;
  /** A connection was cut, or what came was no HTTP: the app may have gone, or go on with the next customer. */
  readonly isBroken?: boolean;
}

/** What is said of a run; undefined where it came to what it has to, a text where it could not be judged. */
export function verdictOn(
  report: RunOutcome,
  roles: readonly Role[],
  seen: Seen,
): Verdict | string | undefined {
  const verdict = verdictOnReport(report, roles, seen);
  const hung = seen.deliveries.find(({ unanswered }) => unanswered !== undefined);
  if (typeof verdict !== "string" || hung === undefined) return verdict;
  const message = `the app does not respond to webhooks: ${hung.type}: ${hung.unanswered}`;
  return { oracle: "liveness", message, isOver: true };
}

function verdictOnReport(
  report: RunOutcome,
  roles: readonly Role[],
  seen: Seen,
): Verdict | string | undefined {
  if (report.passed) return undefined;
  const index = report.steps.findIndex(hasFailed);
  const step = failedStep(report);
  if (index === -1 || step === undefined || report.outcome === "error")
    return report.error ?? step?.failure?.message ?? "it could not be carried out";
  const message = step.failure?.message ?? "";
  const end = step.kind === "app" ? endOf(message) : undefined;
  if (end !== undefined) return { oracle: "liveness", message: `${step.title}: ${message}`, ...end };
  switch (roles[index]) {
    case "reset":
      return `${step.title}: ${message}`;
    case "drive":
    case "tail":
    case "rest":
      return step.kind === "app"
        ? { oracle: "liveness", message: `the customer gets no further at ${step.title}: ${message}` }
        : `${step.title}: ${message}`;
    case "paid":
      return verdictOnPaid(step);
    case "observe":
      return verdictOnView(step, seen);
    case "manners":
      return {
        oracle: "manners",
        message: `the app responds to a signed event with an error: ${message}`,
      };
    default:
      return {
        oracle: (roles[index] ?? "expect") as Oracle,
        message: `${step.title}: ${differencesIn(step) || message}`,
      };
  }
}

/** What a run without the steps that ask for it may have come to: it is worth another with them. */
export function isSuspect({ deliveries, charges }: Seen, plain: Seen): boolean {
  const isRefused = deliveries.some(({ answers }) =>
    answers.some((status) => status !== null && status >= 500),
  );
  return isRefused || paidIn(charges) !== paidIn(plain.charges);
}

function paidIn(charges: readonly SeenCharge[]): number {
  return charges.filter(({ status }) => status === "COMPLETED").length;
}

/** What a call without an answer says of the app; undefined where there was one. */
function endOf(message: string): Pick<Verdict, "isOver" | "isBroken"> | undefined {
  if (message.startsWith("no answer within") || message.endsWith(NOBODY)) return { isOver: true };
  return message.startsWith("the app did not respond") ? { isBroken: true } : undefined;
}

function verdictOnPaid({ failure }: StepReport): Verdict {
  const { got, expected } = failure?.difference?.find(({ path }) => path === "count") ?? {};
  const paid = Number(got ?? 0);
  const { lte, gte }: Range = typeof expected === "number" ? { lte: expected } : (expected ?? {});
  const completed = lte ?? gte ?? 0;
  return paid > completed
    ? { oracle: "money", message: `paid twice: ${paid} completed charges for ${ordered(completed)}` }
    : {
        oracle: "convergence",
        message: `${counted(paid, "completed charge")}, where a plain run has ${completed}`,
      };
}

type Range = { readonly lte?: number; readonly gte?: number };

function ordered(count: number): string {
  return count === 1 ? "one order" : `what is paid with ${count}`;
}

/** What the app believes is another thing than in a plain run: about money, where the ledger says so. */
function verdictOnView(step: StepReport, { charges }: Seen): Verdict {
  const differences = step.failure?.difference ?? [];
  const said = differencesIn(step) || (step.failure?.message ?? "");
  const more = differences.find(isMore);
  if (more !== undefined) return { oracle: "money", message: `done more than once: ${said}` };
  const status = differences.find(({ got }) => markingOf(got) !== undefined);
  const marking = markingOf(status?.got);
  const isPaid = charges.some(({ status }) => status === "COMPLETED");
  if (marking !== undefined && (marking === "paid") !== isPaid)
    return {
      oracle: "money",
      message: `${isPaid ? "paid, but not marked as paid by the app" : "not paid, but marked as paid by the app"}: ${said}`,
    };
  if (marking === "unpaid" && charges.every(isFinal))
    return { oracle: "liveness", message: `the charge has ended, and the app waits: ${said}` };
  return { oracle: "convergence", message: `the end differs from a plain run's: ${said}` };
}

function isFinal({ status }: SeenCharge): boolean {
  return !["PENDING", "AWAITING_PAYMENT", "PROCESSING"].includes(status);
}

function isMore({ expected, got }: Difference): boolean {
  return typeof expected === "number" && typeof got === "number" && got > expected;
}

function differencesIn({ failure }: StepReport): string {
  return (failure?.difference ?? []).map(differenceText).join(", ");
}

function differenceText({ path, expected, got }: Difference): string {
  return `${path} is ${shown(got)}, not ${shown(expected)}`;
}

function shown(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value);
}
