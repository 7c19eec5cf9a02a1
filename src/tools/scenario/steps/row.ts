import * as z from "zod/mini";
import type { Vocabulary } from "../../../core/domain/known-names.js";
import type { StepContext } from "../running/context.js";
import { nameSchema } from "./parts.js";

type RawStep = Readonly<Record<string, unknown>>;

/** What a step comes to: the record that `save` takes values from. */
export type StepResult = unknown;

/** A kind of step. Values may be variables: its schema is for what has them filled in. */
export interface StepRow<Schema extends z.ZodMiniType = z.ZodMiniType> {
  readonly schema: Schema;
  /** What its action does, for editors. */
  readonly says: string;
  /** What its result is like, which `save` takes values from; undefined where that is not known beforehand. */
  readonly result?: (step: RawStep, routes: Vocabulary["routes"]) => z.core.$ZodType | undefined;
  /** Its field that is held against the result. */
  readonly holds?: string;
  /** A variable that the step itself names its result by. */
  readonly named?: (step: z.infer<Schema>, result: StepResult) => readonly [string, unknown] | undefined;
  readonly run: (step: z.infer<Schema>, context: StepContext) => Promise<StepResult>;
}

/** One time that a list of steps is carried out. */
export interface Turn {
  /** Which of the step's lists. */
  readonly list: number;
  /** How this turn is told from the others, if there are any. */
  readonly part?: string;
  /** Variables that are known in it only. */
  readonly own: Readonly<Record<string, unknown>>;
}

/** A kind of step that carries out lists of steps. */
export interface ContainerRow<Schema extends z.ZodMiniType = z.ZodMiniType>
  extends Omit<StepRow<Schema>, "run" | "named"> {
  readonly turns: (step: z.infer<Schema>) => readonly Turn[];
  /** All turns at the same time, in place of one after the other. */
  readonly atOnce?: boolean;
}

/** A step's schema: its action, and what may stand beside it. Each may have a name. */
export function stepSchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject({ name: nameSchema, ...shape });
}

export function container<Schema extends z.ZodMiniType>(row: ContainerRow<Schema>): ContainerRow<Schema> {
  return row;
}

/** A row whose `run` takes what its schema lets through. */
export function step<Schema extends z.ZodMiniType>(row: StepRow<Schema>): StepRow<Schema> {
  return row;
}
