import * as z from "zod/mini";
import type { Vocabulary } from "../../../core/domain/name-check.js";
import type { StepContext } from "../running/context.js";
import { nameSchema } from "./step-schemas.js";

type RawStep = Readonly<Record<string, unknown>>;

/** A property that all steps of a kind share. A missing trait causes at most a warning or a slower run. */
export type StepTrait =
  /** Checks something itself. */
  | "checks"
  /** Never compares with the state at the start of the run. */
  | "ignores_start"
  /** Affects only the run's own customer or the shared clock. */
  | "own_customer";

/** A kind of step. Its schema applies after variables are filled in. */
export interface StepDefinition<Schema extends z.ZodMiniType = z.ZodMiniType> {
  readonly traits: readonly StepTrait[];
  readonly schema: Schema;
  /** Description for editors. */
  readonly description: string;
  /** Schema of the result; undefined if not known before the run. */
  readonly result?: (step: RawStep, routes: Vocabulary["routes"]) => z.core.$ZodType | undefined;
  /** Name of the step's field that holds the expectation of its result. */
  readonly expectationField?: string;
  /** Name and value of the variable in which the step saves its result. */
  readonly namedResult?: (step: z.infer<Schema>, result: unknown) => readonly [string, unknown] | undefined;
  /** Resolves with the record from which `save` takes values. */
  readonly run: (step: z.infer<Schema>, context: StepContext) => Promise<unknown>;
}

/** One execution of a nested list of steps. */
export interface Iteration {
  /** Index of the list in the step. */
  readonly list: number;
  /** Name of this iteration; absent for a single one. */
  readonly part?: string;
  /** Variables of this iteration only. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A kind of step with nested lists of steps. */
export interface ContainerDefinition<Schema extends z.ZodMiniType = z.ZodMiniType>
  extends Omit<StepDefinition<Schema>, "run" | "namedResult"> {
  readonly iterations: (step: z.infer<Schema>) => readonly Iteration[];
  readonly hasConcurrentIterations?: boolean;
}

/** Schema of a step: its action and other fields, and an optional name. */
export function stepSchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject({ name: nameSchema, ...shape });
}

export function defineContainer<Schema extends z.ZodMiniType>(
  row: Omit<ContainerDefinition<Schema>, "traits">,
): ContainerDefinition<Schema> {
  return { ...row, traits: ["ignores_start"] };
}

/** Infers the type of the step in `run` from the schema. */
export function defineStep<Schema extends z.ZodMiniType>(
  traits: readonly StepTrait[],
  row: Omit<StepDefinition<Schema>, "traits">,
): StepDefinition<Schema> {
  return { ...row, traits };
}
