import type { AdvanceReport } from "../../../core/schema/control-responses.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { LoadedScenario } from "../../scenario/files.js";
import type { Placed } from "./placed-steps.js";
import { savedVariable } from "./saved-variable.js";

/** Sandbox time between two runs of the app's scheduled work. */
export const JOB_INTERVAL = "1h";

/** How the advances of a run wait for the app, as durations of wall time. */
export interface AppWaits {
  /** How long the app must make no calls after each webhook. */
  readonly quiet?: string | undefined;
  /** Maximum wait for the app's next call after one that a deviation made to fail. */
  readonly retry?: string | undefined;
  /** Maximum wait in a `wait_for` step of the flow. */
  readonly flowWait?: string | undefined;
  /** Sandbox time from the end of the flow's steps to the end of the run. */
  readonly rest?: string | undefined;
}

/** Prefixes of the variables in which a run saves how each advance waited. */
const WAIT_NAMES = { quiet: "quiet_", retry: "retry_" } as const;

/** Makes each advance wait for the app, and saves how it waited. */
export function withWaits(placed: readonly Placed[], { quiet, retry }: AppWaits): Placed[] {
  return placed.map(({ step, role }, index) => {
    // The scheduled work runs after this advance, so the advance need not wait for the app.
    const isBeforeJob = role === "tail" && step.advance === JOB_INTERVAL && step.save === undefined;
    if (step.advance === undefined || isBeforeJob) return { step, role };
    const ownQuiet = step.quiet ?? quiet;
    const waits = {
      ...(ownQuiet === undefined ? {} : { quiet: ownQuiet }),
      ...(retry === undefined ? {} : { retry }),
    };
    const names = Object.keys(waits) as (keyof typeof WAIT_NAMES)[];
    if (names.length === 0) return { step, role };
    const saved = Object.fromEntries(names.map((wait) => [`${WAIT_NAMES[wait]}${index}`, wait]));
    return { role, step: { ...step, ...waits, save: { ...(step.save as object), ...saved } } };
  });
}

/** Returns the saved reports of how the advances of a run waited. */
export function waitReports<Wait extends keyof typeof WAIT_NAMES>(
  wait: Wait,
  loaded: LoadedScenario,
): NonNullable<AdvanceReport[Wait]>[] {
  return loaded.scope.names
    .filter((name) => name.startsWith(WAIT_NAMES[wait]))
    .flatMap((name) => {
      const value = savedVariable(loaded, name);
      return isJsonObject(value) ? [value as unknown as NonNullable<AdvanceReport[Wait]>] : [];
    });
}
