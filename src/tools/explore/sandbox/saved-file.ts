import { dirname, isAbsolute, join, relative } from "node:path";
import { isJsonObject } from "../../../core/schema/json-objects.js";

/** Writes scenario files that reproduce findings. */
export interface ScenarioFileWriter {
  readonly folder: string;
  readonly write: (file: string, text: string) => void;
  readonly yamlOf: (value: unknown) => string;
}

/**
 * Saves the document of a run as a scenario file, and returns the file.
 *
 * @param vars values that replace those of the document
 * @param flowFile the file to which the include paths of the document are relative
 */
export function saveDocument(
  writer: ScenarioFileWriter,
  document: Readonly<Record<string, unknown>>,
  description: string,
  vars: Readonly<Record<string, string>>,
  flowFile: string,
): string {
  const { name, description: _description, vars: ownVars, ...rest } = document;
  const file = join(writer.folder, `${name}.yaml`);
  const allVars = { ...(isJsonObject(ownVars) ? ownVars : {}), ...vars };
  const value = {
    name,
    description,
    ...(Object.keys(allVars).length === 0 ? {} : { vars: allVars }),
    ...(withMovedIncludes(dirname(flowFile), writer.folder, rest) as object),
  };
  writer.write(file, writer.yamlOf(value));
  return file;
}

/** Converts include paths from the flow's folder (`from`) to the folder of the saved file (`to`). */
function withMovedIncludes(from: string, to: string, value: unknown, key = ""): unknown {
  if (key === "include" && typeof value === "string")
    return isAbsolute(value) ? value : relative(to, join(from, value));
  if (Array.isArray(value)) return value.map((part) => withMovedIncludes(from, to, part, key));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withMovedIncludes(from, to, part, name)]),
  );
}
