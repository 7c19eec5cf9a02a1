import { packageFiles, packageText } from "../../core/files/package.js";
import type { Fixtures } from "../../core/schema/fixtures.js";
import type { Scenario } from "../../core/schema/scenario.js";

export interface Shipped {
  readonly fixtures: Fixtures;
  readonly scenarios: readonly Scenario[];
}

let shipped: Promise<Shipped> | undefined;

/** What the build wrote down of a shipped file: its text then, and its value, checked. */
export interface CompiledFile {
  readonly text: string;
  readonly value: unknown;
}
export type Compiled = Readonly<Record<string, CompiledFile>>;

export const COMPILED_FILE = "dist/shipped.json";

/** The scenarios every namespace knows. The flows beside them are tests to run and copy: nobody asks for them by name. */
function shippedScenarioFiles(): string[] {
  return packageFiles("scenarios")
    .filter((name) => name.endsWith(".yaml") && !name.startsWith("flow_"))
    .map((name) => `scenarios/${name}`);
}

/**
 * The shipped fixtures and scenarios. The files in `fixtures/` and `scenarios/` are what counts; what the
 * build compiled of them is taken in their place only while their content is the same, for it saves a start
 * the YAML library and the checks.
 */
async function readShipped(): Promise<Shipped> {
  let compiled: Compiled = {};
  try {
    compiled = JSON.parse(packageText(COMPILED_FILE)) as Compiled;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const load = async <T>(file: string): Promise<T> => {
    const text = packageText(file);
    const known = compiled[file];
    return (known?.text === text ? known.value : await readChecked(file, text)) as T;
  };
  const fixtures = await load<Fixtures>(FIXTURES_FILE);
  const scenarios = await Promise.all(shippedScenarioFiles().map((file) => load<Scenario>(file)));
  return { fixtures, scenarios };
}

/** Read once: a test process makes a thousand sandboxes of it, and nothing in it changes in place. */
export function loadShipped(): Promise<Shipped> {
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
    return checkDocument((await import("../../core/schema/fixtures.js")).fixturesSchema, document);
  const { loadScenario } = await import("./files.js");
  return loadScenario(document, { runIdOf: () => "shipped" }).scenario;
}

/** What the build keeps: every shipped file, checked. Throws with each fault's place when one is wrong. */
export async function compileShipped(): Promise<Compiled> {
  const compiled: Record<string, CompiledFile> = {};
  for (const file of [FIXTURES_FILE, ...shippedScenarioFiles()]) {
    const text = packageText(file);
    compiled[file] = { text, value: await readChecked(file, text) };
  }
  return compiled;
}
