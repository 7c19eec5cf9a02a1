import { isDeepStrictEqual } from "node:util";
import { type Vocabulary, vocabularyOf, withRoutes } from "../../core/domain/name-check.js";
import { type DocumentFault, type LoadedDocument, readDocument } from "../../core/files/documents.js";
import { fixturesPatchSchema } from "../../core/schema/fixtures-file.js";
import { safeParse } from "../../core/schema/issues.js";
import { isJsonObject } from "../../core/schema/json-objects.js";
import type { NameKind } from "../../core/schema/name-kinds.js";
import type { StartOptions } from "../../core/schema/option-table.js";
import type { NamespaceSetup } from "../../core/schema/scenario-file.js";
import { resolveRelativePath, unreadableFileHandler } from "./includes.js";

/** A file's `given` block: the initial state that the file needs. */
export interface InitialState {
  readonly given: NamespaceSetup;
  readonly initialStateFault: (field: string, message: string) => DocumentFault;
}

/** Fields of `given` that have no effect with `--data`, because the data file has its own values. */
const STORED_FIELDS: readonly string[] = ["start_time", "seed"] satisfies (keyof NamespaceSetup)[];

/** Merges the `given` blocks, except `fixtures`. Options override files; later files override earlier files. */
export function mergeInitialStates(files: readonly InitialState[], options: StartOptions) {
  const given: Record<string, unknown> = {};
  const ignored: DocumentFault[] = [];
  for (const file of files.toReversed()) {
    const { fixtures: _fixtures, ...fields } = file.given;
    for (const [field, value] of Object.entries(fields)) {
      const option = options[field as keyof typeof fields];
      const current = option ?? given[field];
      if (isDeepStrictEqual(current, value)) continue;
      const ignore = (reason: string) => ignored.push(file.initialStateFault(field, `is ignored: ${reason}`));
      if (option !== undefined) ignore("an option of the sandbox sets another value");
      else if (current !== undefined) ignore("a later scenario file sets another value");
      else if (options.data !== undefined && STORED_FIELDS.includes(field))
        ignore(`with --data, use --${field.replace("_", "-")}`);
      else given[field] = value;
    }
  }
  return { given: given as Omit<NamespaceSetup, "fixtures">, ignored };
}

const FIXTURES_PATH = ["given", "fixtures"];

/** Reads the fixtures of a `given` block. The block contains the fixtures or the name of a fixtures file. */
export async function readInitialFixtures(
  { fixtures }: NamespaceSetup,
  document: LoadedDocument,
): Promise<LoadedDocument | undefined> {
  if (isJsonObject(fixtures))
    return {
      file: document.file,
      value: fixtures,
      faultAt: (path, message) => document.faultAt([...FIXTURES_PATH, ...path], message),
    };
  if (typeof fixtures !== "string") return undefined;
  const file = resolveRelativePath(document.file, fixtures);
  return readDocument(file).catch(unreadableFileHandler(document, FIXTURES_PATH, file));
}

const FIXTURE_KINDS: readonly NameKind[] = ["currency", "payment method", "payment rail"];

/** Adds the names in fixtures to a vocabulary. Ignores invalid fixtures, because another check reports them. */
export function addFixtureNames(known: Vocabulary, fixtures: unknown): Vocabulary {
  const checked = safeParse(fixturesPatchSchema, fixtures);
  const { currencies = [], methods = [], rails = [] } = checked.ok ? checked.data : {};
  const added = vocabularyOf({ fixtures: { currencies, methods, rails } });
  return withRoutes((kind) => {
    const names = known(kind);
    return names && FIXTURE_KINDS.includes(kind) ? [...names, ...(added(kind) ?? [])] : names;
  }, known.routes);
}
