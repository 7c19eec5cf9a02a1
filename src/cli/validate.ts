import { faultText, warningText } from "../core/files/documents.js";
import { toPrintableLine } from "../core/schema/text-format.js";
import { configFaults } from "../options.js";
import { type ValidationResult, validateFile } from "../tools/scenario/validation.js";
import { parseVariables, vocabularyOfFlags } from "./scenario-flags.js";
import { printJson, printText } from "./terminal.js";

/** `validate`: prints faults and warnings of files. Exits with 2 after a fault. `--strict` makes warnings faults. */
export async function validate(
  files: readonly string[],
  flags: Readonly<Record<string, unknown>>,
): Promise<void> {
  const vars = parseVariables(flags.var as string[] | undefined);
  const results: ValidationResult[] = [];
  const vocabulary = await vocabularyOfFlags({ config: flags.config, fixtures: flags.fixtures });
  const options = { environment: process.env, vars, configFaults, vocabulary };
  for (const file of files) {
    const result = await validateFile(file, options);
    const all = [...result.faults, ...result.warnings];
    results.push(flags.strict ? { ...result, faults: all, warnings: [] } : result);
  }
  if (flags.json) printJson(results, 2);
  else printText(textOf(results));
  process.exitCode = results.some(({ faults }) => faults.length > 0) ? 2 : 0;
}

function textOf(results: readonly ValidationResult[]): string {
  return results
    .flatMap(({ file, kind, faults, warnings }) =>
      faults.length + warnings.length === 0
        ? [`${file}: valid ${kind}`]
        : [...faults.map(faultText), ...warnings.map(warningText)],
    )
    .map((line) => `${toPrintableLine(line)}\n`)
    .join("");
}
