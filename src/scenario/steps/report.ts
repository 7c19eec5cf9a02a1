import type { Failure } from "./failure.js";
import type { StepKind } from "./kinds.js";

/** How a step or a whole run came out; `error` when it could not be carried out. */
export type Outcome = "passed" | "failed" | "error";

export interface StepReport {
  /** From 1. */
  readonly number: number;
  /** The step's own name, or what it does in a few words. */
  readonly title: string;
  readonly kind: StepKind;
  readonly line: number;
  readonly outcome: Outcome | "not_run";
  readonly duration_ms: number;
  readonly failure?: Failure;
}

export interface RunReport {
  readonly file: string;
  readonly name: string;
  readonly outcome: Outcome;
  readonly passed: boolean;
  readonly run_id: string;
  readonly duration_ms: number;
  readonly steps: readonly StepReport[];
  /** Why it could not be carried out, when that was not for a step. */
  readonly error?: string;
  /** What could not be put back afterwards. */
  readonly warnings: readonly string[];
}

const LONGEST_TITLE = 72;

/** What a step does, in a few words. */
export function titleOf(kind: StepKind, step: Readonly<Record<string, unknown>>): string {
  if (typeof step.name === "string") return step.name;
  const said = [brief(step[kind]), brief(step.match)].filter((part) => part !== "").join(" ");
  const text = `${kind.replaceAll("_", " ")} ${said}`.trimEnd();
  return text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE - 1)}…` : text;
}

function brief(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(
      ([key, part]) =>
        `${key}: ${typeof part === "string" ? part : JSON.stringify(part).replaceAll('"', "")}`,
    )
    .join(", ");
}
