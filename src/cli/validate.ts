import { type Fault, faultText } from "../files/documents.js";
import { configFaults } from "../options.js";
import { type Validation, validateFile } from "../scenario/validation.js";
import { oneLine } from "../schema/printable.js";
import { say, sayJson } from "./terminal.js";
import { variablesOf } from "./variables.js";

/** `validate`: every fault of every file, with its place; 0 when there is none, else 2. */
export async function validate(
  files: readonly string[],
  flags: Readonly<Record<string, unknown>>,
): Promise<void> {
  const vars = variablesOf(flags.var as string[] | undefined);
  const results: Validation[] = [];
  const options = { environment: process.env, vars, configFaults };
  for (const file of files) results.push(await validateFile(file, options));
  if (flags.json) sayJson(results, 2);
  else say(textOf(results));
  process.exitCode = results.some(({ faults }) => faults.length > 0) ? 2 : 0;
}

function textOf(results: readonly Validation[]): string {
  return results
    .flatMap(({ file, kind, faults, warnings }) =>
      faults.length + warnings.length === 0
        ? [`${file}: ${kind}, fine`]
        : [...faults.map(faultText), ...warnings.map(warningText)],
    )
    .map((line) => `${oneLine(line)}\n`)
    .join("");
}

function warningText(warning: Fault): string {
  return faultText({ ...warning, message: `warning: ${warning.message}` });
}
