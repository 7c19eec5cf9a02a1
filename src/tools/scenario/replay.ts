import { existsSync } from "node:fs";
import type { LoadedDocument } from "../../core/files/documents.js";
import { isShippedFlow } from "../../core/files/read-flow.js";
import { resolveRelativePath } from "./includes.js";
import type { Scope } from "./variables.js";

/** A flow that `explore` runs with one set of deviations. */
export interface Replay {
  /** Path of the flow, or name of a shipped one. */
  readonly flow: string;
  readonly only: string;
  readonly line: number;
  /** Values for the variables of the flow. */
  readonly vars: Readonly<Record<string, string>>;
}

/** A path that is no file beside the document may be the name of a shipped flow. */
export function replayOf(
  document: LoadedDocument,
  { flow, only }: Readonly<Record<string, unknown>>,
  scope: Scope,
): Replay | undefined {
  if (typeof flow !== "string") return undefined;
  const beside = resolveRelativePath(document.file, flow);
  const values = scope.names.map((name) => [name, scope.resolve({ name, fallback: undefined })] as const);
  return {
    flow: existsSync(beside) || !isShippedFlow(flow) ? beside : flow,
    only: String(only),
    line: document.faultAt(["only"], "").line,
    vars: Object.fromEntries(
      values.flatMap(([name, resolved]) =>
        typeof resolved === "object" && "value" in resolved ? [[name, String(resolved.value)]] : [],
      ),
    ),
  };
}
