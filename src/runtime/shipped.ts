import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Fixtures, fixturesSchema } from "../schema/fixtures.js";
import { type Scenario, scenarioSchema } from "../schema/scenario.js";
import { checkDocument, parseDocument } from "./documents.js";

/** The folder the package lies in, whether this runs from src or from the bundle. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "fixtures", "default.yaml"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the package's fixtures folder is missing");
    folder = parent;
  }
  return folder;
}

/** What the build wrote down of a shipped file: its content's hash, and its value, checked. */
export interface CompiledFile {
  readonly hash: string;
  readonly value: unknown;
}
export type Compiled = Readonly<Record<string, CompiledFile>>;

export const COMPILED_FILE = "dist/shipped.json";

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

export function shippedScenarioFiles(root: string): string[] {
  return readdirSync(join(root, "scenarios"))
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .map((name) => `scenarios/${name}`);
}

/**
 * The shipped fixtures and scenarios. The files in `fixtures/` and `scenarios/` are what counts; what the
 * build compiled of them is taken in their place only while their content is the same, for it saves a start
 * the YAML library and the checks.
 */
export async function loadShipped(): Promise<{ fixtures: Fixtures; scenarios: Scenario[] }> {
  const root = packageRoot();
  let compiled: Compiled = {};
  try {
    compiled = JSON.parse(readFileSync(join(root, COMPILED_FILE), "utf8")) as Compiled;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const load = async <T>(file: string, schema: Parameters<typeof checkDocument<T>>[0]): Promise<T> => {
    const text = readFileSync(join(root, file), "utf8");
    const known = compiled[file];
    if (known !== undefined && known.hash === hashOf(text)) return known.value as T;
    return checkDocument(schema, await parseDocument(join(root, file), text));
  };
  const fixtures = await load("fixtures/default.yaml", fixturesSchema);
  const scenarios = await Promise.all(shippedScenarioFiles(root).map((file) => load(file, scenarioSchema)));
  return { fixtures, scenarios };
}

/** What the build keeps: every shipped file, checked. Throws with each fault's place when one is wrong. */
export async function compileShipped(): Promise<Compiled> {
  const root = packageRoot();
  const compiled: Record<string, CompiledFile> = {};
  const compile = async (file: string, schema: Parameters<typeof checkDocument>[0]): Promise<void> => {
    const text = readFileSync(join(root, file), "utf8");
    compiled[file] = { hash: hashOf(text), value: checkDocument(schema, await parseDocument(file, text)) };
  };
  await compile("fixtures/default.yaml", fixturesSchema);
  for (const file of shippedScenarioFiles(root)) await compile(file, scenarioSchema);
  return compiled;
}
