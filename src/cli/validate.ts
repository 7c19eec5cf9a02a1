import { faultText, warningText } from "../core/files/documents.js";
import { formatCount, toPrintableLine } from "../core/schema/text-format.js";
import { configFaults } from "../library/options.js";
import { type ValidationResult, validateFile } from "../tools/scenario/validation.js";
import { printErrorMessage } from "./errors.js";
import { refuseUnknownVars } from "./run-files.js";
import { parseVariables, readFlagVocabulary } from "./scenario-flags.js";
import { isTerminal, lineWidth, printJson, printText } from "./terminal.js";
import { paint, type Style, type StyledText, wrap } from "./text-layout.js";

/** `validate`: prints faults and warnings of files. Exits with 2 after a fault. `--strict` makes warnings faults. */
export async function validate(
  files: readonly string[],
  flags: Readonly<Record<string, unknown>>,
): Promise<void> {
  const vars = parseVariables(flags.var as string[] | undefined);
  const results: ValidationResult[] = [];
  const { config, fixtures } = flags;
  // Other variables do not concern this command.
  const { PAYMENTS_SANDBOX_CONFIG, PAYMENTS_SANDBOX_FIXTURES } = process.env;
  const environment = { PAYMENTS_SANDBOX_CONFIG, PAYMENTS_SANDBOX_FIXTURES };
  const { vocabulary, error } = await readFlagVocabulary({ config, fixtures }, environment);
  const variables: ReadonlySet<string>[] = [];
  const onVariables = (names: ReadonlySet<string>) => variables.push(names);
  const options = { environment: process.env, vars, configFaults, vocabulary, onVariables };
  for (const file of files) {
    const result = await validateFile(file, options);
    const all = [...result.faults, ...result.warnings];
    results.push(flags.strict ? { ...result, faults: all, warnings: [] } : result);
  }
  // Without the flags, the error may come from a config file in `files`, which reports it itself.
  const isReported = config === undefined && fixtures === undefined && results.some(isBrokenConfig);
  const unreported = isReported ? undefined : error;
  if (unreported === undefined && results.every(({ faults }) => faults.length === 0))
    refuseUnknownVars(vars, variables);
  if (flags.json) printJson(results, 2);
  else printText(textOf(results));
  if (unreported !== undefined) printErrorMessage(unreported);
  process.exitCode = unreported !== undefined || results.some(({ faults }) => faults.length > 0) ? 2 : 0;
}

/** The kind is undefined if the file is not valid YAML. */
function isBrokenConfig({ kind, faults }: ValidationResult): boolean {
  return faults.length > 0 && (kind === "config" || kind === undefined);
}

function textOf(results: readonly ValidationResult[]): string {
  const lines = results.flatMap(({ file, kind, faults, warnings }): StyledText[] =>
    faults.length + warnings.length === 0
      ? [["green", `${file}: valid ${kind}`]]
      : [
          ...faults.map((one): StyledText => ["red", faultText(one)]),
          ...warnings.map((one): StyledText => ["yellow", warningText(one)]),
        ],
  );
  const count = (style: Style, noun: string) =>
    formatCount(lines.filter(([one]) => one === style).length, noun);
  const total = `${formatCount(results.length, "file")}: ${count("red", "fault")}, ${count("yellow", "warning")}`;
  if (isTerminal()) lines.push(["bold", total]);
  return lines
    .map(
      ([style, text]) =>
        `${paint(style!, wrap(toPrintableLine(text), 2, lineWidth()).join("\n").trimStart())}\n`,
    )
    .join("");
}
