import { listPackageFiles, readPackageFile } from "../../core/files/package.js";
import type { Fixtures } from "../../core/schema/fixtures-file.js";
import type { Scenario } from "../../core/schema/scenario-rules.js";

export interface ShippedContent {
  readonly fixtures: Fixtures;
  readonly scenarios: readonly Scenario[];
}

let shipped: Promise<ShippedContent> | undefined;

export interface CompiledFile {
  readonly text: string;
  readonly value: unknown;
}
export type CompiledFiles = Readonly<Record<string, CompiledFile>>;

export const COMPILED_FILES_PATH = "dist/shipped.json";

/** Lists the scenario files that every namespace has. Leaves out `flow_*` files, which are tests. */
function shippedScenarioFiles(): string[] {
  return listPackageFiles("scenarios")
    .filter((name) => name.endsWith(".yaml") && !name.startsWith("flow_"))
    .map((name) => `scenarios/${name}`);
}

/** The build has parsed and checked the files: an unchanged one needs neither the YAML library nor a check. */
async function readShipped(): Promise<ShippedContent> {
  let compiled: CompiledFiles = {};
  try {
    compiled = JSON.parse(readPackageFile(COMPILED_FILES_PATH)) as CompiledFiles;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const load = async <T>(file: string): Promise<T> => {
    const text = readPackageFile(file);
    const entry = compiled[file];
    return (entry?.text === text ? entry.value : await readChecked(file, text)) as T;
  };
  const fixtures = await load<Fixtures>(FIXTURES_FILE);
  const scenarios = await Promise.all(shippedScenarioFiles().map((file) => load<Scenario>(file)));
  return { fixtures, scenarios };
}

/** Reads the shipped files once per process. The result is never modified. */
export function loadShippedContent(): Promise<ShippedContent> {
  shipped ??= readShipped().catch((error) => {
    shipped = undefined;
    throw error;
  });
  return shipped;
}

const FIXTURES_FILE = "fixtures/default.yaml";

async function readChecked(file: string, text: string): Promise<unknown> {
  const { checkDocument, parseDocument } = await import("../../core/files/documents.js");
  const document = await parseDocument(file, text);
  if (file === FIXTURES_FILE)
    return checkDocument((await import("../../core/schema/fixtures-file.js")).fixturesSchema, document);
  const { loadScenario } = await import("./files.js");
  return loadScenario(document, { runIdOf: () => "shipped" }).scenario;
}

export async function compileShippedFiles(): Promise<CompiledFiles> {
  const compiled: Record<string, CompiledFile> = {};
  for (const file of [FIXTURES_FILE, ...shippedScenarioFiles()]) {
    const text = readPackageFile(file);
    compiled[file] = { text, value: await readChecked(file, text) };
  }
  return compiled;
}
