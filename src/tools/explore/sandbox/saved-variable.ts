import { isJsonObject } from "../../../core/schema/json-objects.js";
import { fillReferences } from "../../scenario/variables.js";
import type { RunVariables } from "./facts.js";

export function savedVariable({ scope }: Pick<RunVariables, "scope">, name: string): unknown {
  // The fault of an unknown variable names its nearest, which takes long.
  if (!scope.has(name)) return undefined;
  const resolved = scope.resolve({ name, fallback: undefined });
  return typeof resolved === "object" && "value" in resolved ? resolved.value : undefined;
}

/** Fills in the variables of a run. Throws if one is unknown. */
export function filledValue<Value>(value: Value, { scope }: Pick<RunVariables, "scope">): Value {
  const refuse = ({ message }: { readonly message: string }): never => {
    throw new Error(message);
  };
  return fillReferences(value, scope.resolve, refuse) as Value;
}

/** Fills the variables of a run into a text; empty for those that no step has saved, and for objects. */
export function filledText(text: string, loaded: RunVariables): string {
  const textIn = (name: string) => (name === "run.id" ? loaded.runId : textOf(savedVariable(loaded, name)));
  return text.replace(/\$\{([\w.]+)\}/g, (_, name: string) => textIn(name));
}

/** Converts a variable to its text in metadata; empty for undefined and for objects. */
export function textOf(value: unknown): string {
  return value === undefined || isJsonObject(value) ? "" : String(value);
}

/** Returns a saved instant in milliseconds; undefined if the run saved none. */
export function savedTime(loaded: RunVariables, name: string): number | undefined {
  const text = savedVariable(loaded, name);
  return text === undefined ? undefined : Date.parse(String(text));
}

export function viewVariableName(index: number): string {
  return `observed_${index + 1}`;
}

/** Variable with the status of the response whose body the other variable has. */
export function statusName(index: number): string {
  return `${viewVariableName(index)}_status`;
}

/** Moments at which a run looks at the app of a customer who does not pay. */
export const LOOK_MOMENTS = ["before", "during"] as const;
export type LookMoment = (typeof LOOK_MOMENTS)[number];

/** Variable with the sandbox time of the look during the payment. */
export const DURING_TIME_NAME = "during_payment_at";

export function lookName(moment: LookMoment, index: number): string {
  return `${moment}_payment_${index + 1}`;
}

/** Variable with the status of the app's response to a step of others. */
export const MEANWHILE_STATUS = "meanwhile_status";
