import type { LoadedScenario } from "../../scenario/files.js";

/** Returns the value of a variable after a run; undefined if no step has saved it. */
export function savedVariable({ scope }: LoadedScenario, name: string): unknown {
  const resolved = scope.resolve({ name, fallback: undefined });
  return typeof resolved === "object" && "value" in resolved ? resolved.value : undefined;
}
