import { type Vocabulary, vocabularyOf } from "../../core/domain/name-check.js";
import {
  checkDocument,
  DocumentError,
  type DocumentFault,
  type LoadedDocument,
} from "../../core/files/documents.js";
import { readFlow } from "../../core/files/read-flow.js";
import { FIXTURE_ID_FIELDS } from "../../core/schema/fixtures-file.js";
import { isJsonObject } from "../../core/schema/json-objects.js";
import { startOptionsSchema } from "../../core/schema/option-table.js";
import { scenarioFileSchema } from "../../core/schema/scenario-file.js";
import { loadScenarioWithIncludes, type ScenarioInputs } from "./files.js";
import { loadShippedContent } from "./shipped.js";

export type FileKind = "scenario" | "fixtures" | "config";

export interface ValidationResult {
  readonly file: string;
  /** Undefined if the content is not recognized. */
  readonly kind: FileKind | undefined;
  readonly faults: readonly DocumentFault[];
  readonly warnings: readonly DocumentFault[];
}

export interface ValidationOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly vars?: Readonly<Record<string, string>>;
  /** Event types, operations and other names that the file may use; default: the names of every sandbox. */
  readonly vocabulary?: Vocabulary | undefined;
  readonly onVariables?: (names: ReadonlySet<string>) => void;
  readonly configFaults: (document: LoadedDocument) => Promise<readonly DocumentFault[]>;
}

/** Checks a scenario, fixtures or config file, recognized by its content. */
export async function validateFile(file: string, options: ValidationOptions): Promise<ValidationResult> {
  let kind: FileKind | undefined;
  try {
    const document = await readFlow(file);
    kind = kindOf(document);
    const warnings = await check(kind, document, options);
    return { file, kind, faults: [], warnings };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { file, kind, faults: error.faults, warnings: [] };
  }
}

const TOP_LEVEL_FIELDS: Readonly<Record<FileKind, readonly string[]>> = {
  scenario: Object.keys(scenarioFileSchema.shape),
  fixtures: Object.keys(FIXTURE_ID_FIELDS),
  config: Object.keys(startOptionsSchema.shape),
};

/** Recognizes a file by its top-level fields; if they fit several kinds, by their content. */
function kindOf(document: LoadedDocument): FileKind {
  if (/payments-sandbox\.config\.(ya?ml|json)$/.test(document.file)) return "config";
  const { value } = document;
  const unrecognized = (why: string): DocumentError => new DocumentError([document.faultAt([], why)]);
  if (!isJsonObject(value))
    throw unrecognized("is not a scenario, fixtures or config file: it must be a map of names and values");
  const keys = Object.keys(value);
  const score = (kind: FileKind): number =>
    keys.filter((key) => TOP_LEVEL_FIELDS[kind].includes(key)).length + (kind === hintOf(value) ? 0.5 : 0);
  const [best, second] = (Object.keys(TOP_LEVEL_FIELDS) as FileKind[]).sort((a, b) => score(b) - score(a));
  if (score(best!) === 0 || score(best!) === score(second!))
    throw unrecognized(
      "is not recognizable as a scenario (name, charges, steps …), fixtures (currencies, keys …) or config file (port, webhooks …)",
    );
  return best!;
}

/** Guesses the kind of file from fields of its entries: an `id` means fixtures, a `url` means config. */
function hintOf({ charges, webhooks }: Record<string, unknown>): FileKind | undefined {
  const has = (list: unknown, ...names: string[]): boolean =>
    Array.isArray(list) &&
    list.some((entry) => isJsonObject(entry) && names.some((name) => Object.hasOwn(entry, name)));
  if (has(charges, "id", "organization_id")) return "fixtures";
  if (has(webhooks, "url", "mailbox")) return "config";
  if (has(charges, "timeline", "match") || has(webhooks, "match", "copies", "drop", "delay"))
    return "scenario";
  return undefined;
}

async function check(
  kind: FileKind,
  document: LoadedDocument,
  { environment, vars = {}, configFaults, vocabulary = vocabularyOf({}), onVariables }: ValidationOptions,
): Promise<readonly DocumentFault[]> {
  switch (kind) {
    case "scenario": {
      const inputs: ScenarioInputs = { vars, environment, runIdOf: () => "0", vocabulary };
      const { warnings, fixtures, variables } = await loadScenarioWithIncludes(document, inputs);
      if (fixtures !== undefined) await checkFixtures(fixtures);
      onVariables?.(variables);
      return warnings;
    }
    case "fixtures": {
      await checkFixtures(document);
      return [];
    }
    case "config": {
      // `init` writes a file of comments only.
      if (document.value === null) return [];
      checkDocument(startOptionsSchema, document);
      const faults = await configFaults(document);
      if (faults.length > 0) throw new DocumentError(faults);
      return [];
    }
  }
}

async function checkFixtures(document: LoadedDocument): Promise<void> {
  const { mergeFixtures } = await import("../../core/files/merge-fixtures.js");
  mergeFixtures((await loadShippedContent()).fixtures, document);
}
