import * as z from "zod/mini";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { RunOutcome, RunStep } from "../../core/namespace/scenario-kit.js";
import type { BookReport } from "../../core/schema/books.js";
import type { Probe, ProbeRow, SentProbe, WebhookReport } from "../../core/schema/receiver-report.js";

/** A receiver that was checked, or is being checked. */
export interface ReceiverChecked {
  readonly webhookId: string;
  readonly url: string;
  /** Sandbox time. */
  readonly at: string;
  /** As each came out, so far. */
  readonly rows: Map<Probe, ProbeRow>;
  readonly sent: Map<Probe, SentProbe[]>;
  /** There when it is over. */
  report?: WebhookReport;
  /** Why it could not be carried out. */
  error?: string;
}

export interface BooksCompared {
  readonly at: string;
  readonly report: BookReport;
  /** The line each row begins at. */
  readonly lines: readonly number[];
}

/** A scenario's steps that were run, or are being run. */
export interface ScenarioRan {
  readonly name: string;
  readonly at: string;
  /** Where the app under test was said to be. */
  readonly app: string | undefined;
  /** How many there are; 0 until the first begins. */
  of: number;
  /** What is under way. */
  current: string | undefined;
  readonly steps: RunStep[];
  /** There when it is over. */
  report?: RunOutcome;
}

/** As much of a report of `explore` as is shown. */
export const exploredSchema = z.object({
  sentence: z.string(),
  findings: z.array(
    z.object({
      oracle: z.string(),
      message: z.string(),
      deviations: z.array(z.object({ kind: z.string(), at: z.string() })),
      story: z.optional(z.object({ plain: z.array(z.string()), failing: z.array(z.string()) })),
      file: z.optional(z.string()),
    }),
  ),
});

export interface Explored {
  readonly at: string;
  readonly report: z.infer<typeof exploredSchema>;
}

/** What was last looked into from the pages; it is gone with the server, and no part of the state. */
export interface Reports {
  receiver?: ReceiverChecked;
  books?: BooksCompared;
  run?: ScenarioRan;
  explored?: Explored;
}

const ALL = new WeakMap<Namespace, Reports>();

export function reportsOf(namespace: Namespace): Reports {
  let reports = ALL.get(namespace);
  if (reports === undefined) ALL.set(namespace, (reports = {}));
  return reports;
}

export function isOver({ report, error }: ReceiverChecked): boolean {
  return report !== undefined || error !== undefined;
}

/** How many of these steps call the app under test, those in lists within them too. */
export function appSteps(steps: unknown): number {
  if (!Array.isArray(steps)) return 0;
  return steps.reduce((sum: number, step: unknown) => {
    if (Array.isArray(step)) return sum + appSteps(step);
    if (typeof step !== "object" || step === null) return sum;
    const { steps: within, parallel } = step as { readonly steps?: unknown; readonly parallel?: unknown };
    return sum + ("app" in step || "reconcile" in step ? 1 : 0) + appSteps(within) + appSteps(parallel);
  }, 0);
}
