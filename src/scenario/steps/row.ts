import * as z from "zod/mini";
import type { RunContext } from "../running/context.js";
import { nameSchema } from "./parts.js";

/** What a step comes to: the record that `save` takes values from. */
export type StepResult = unknown;

/** A kind of step (contract section 5). Values may be variables: its schema is for what has them filled in. */
export interface StepRow<Schema extends z.ZodMiniType = z.ZodMiniType> {
  readonly schema: Schema;
  /** What its action does, for editors. */
  readonly says: string;
  readonly run: (step: z.infer<Schema>, context: RunContext) => Promise<StepResult>;
}

/** A step's schema: its action, and what may stand beside it. Each may have a name. */
export function stepSchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject({ name: nameSchema, ...shape });
}

/** A row whose `run` takes what its schema lets through. */
export function step<Schema extends z.ZodMiniType>(row: StepRow<Schema>): StepRow<Schema> {
  return row;
}
