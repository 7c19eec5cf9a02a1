import type { LoadedScenario } from "../../scenario/files.js";

/** Returns the value of a variable after a run; undefined if no step has saved it. */
export function savedVariable({ scope }: LoadedScenario, name: string): unknown {
  const resolved = scope.resolve({ name, fallback: undefined });
  return typeof resolved === "object" && "value" in resolved ? resolved.value : undefined;
}

/** Returns a saved instant in milliseconds; undefined if the run saved none. */
export function savedTime(loaded: LoadedScenario, name: string): number | undefined {
  const text = savedVariable(loaded, name);
  return text === undefined ? undefined : Date.parse(String(text));
}

/** Variable in which a plain run saves a view of the app. */
export function viewVariableName(index: number): string {
  return `observed_${index + 1}`;
}
