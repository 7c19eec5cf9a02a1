import { existsSync, readFileSync } from "node:fs";
import { type Document, isMap, isSeq, parseDocument } from "yaml";
import { isJsonObject } from "../core/schema/json-objects.js";
import { merge, type Repair } from "../tools/compare/compare.js";
import { CONFIG_FILE_NAMES } from "./options.js";
import { writeOutputFile } from "./output-files.js";

const FIXTURES_FILE = "payments-sandbox.fixtures.yaml";

/** Writes a repair into the config and the fixtures, whose comments stay. Returns the files. */
export async function writeRepair(
  config: string = CONFIG_FILE_NAMES[0]!,
  fixtures: string | undefined,
  { config: options = {}, fixtures: records = {} }: Repair,
): Promise<string[]> {
  const file = fixtures ?? FIXTURES_FILE;
  const hasRecords = Object.keys(records).length > 0;
  const all = hasRecords && fixtures === undefined ? { ...options, fixtures: file } : options;
  const changes = [
    [config, all],
    [file, records],
  ] as const;
  return changes.flatMap(([name, change]) => {
    if (Object.keys(change).length === 0) return [];
    const text = existsSync(name) ? readFileSync(name, "utf8") : "";
    writeOutputFile(
      "--write",
      name,
      name.endsWith(".json") ? mergeJson(text, change) : mergeYaml(text, change),
    );
    return [name];
  });
}

const mergeJson = (text: string, change: object) =>
  `${JSON.stringify(merge(text === "" ? {} : JSON.parse(text), change), null, 2)}\n`;

export function mergeYaml(text: string, change: object): string {
  const document: Document = parseDocument(text);
  if (!isMap(document.contents)) document.contents = document.createNode({});
  for (const [key, value] of Object.entries(change)) put(document, [key], value);
  return document.toString({ lineWidth: 120 });
}

/** Sets a value; objects merge, and records and rules join the list that is there. */
function put(document: Document, path: readonly (string | number)[], value: unknown): void {
  const there = document.getIn(path);
  if (isMap(there) && isJsonObject(value)) {
    for (const [key, one] of Object.entries(value)) put(document, [...path, key], one);
    return;
  }
  if (!isSeq(there) || !Array.isArray(value) || !value.every(isJsonObject))
    return void document.setIn(path, document.createNode(value));
  for (const record of value) {
    const [[key, name] = []] = Object.entries(record);
    const index =
      path[0] === "wire" ? -1 : there.items.findIndex((item) => isMap(item) && item.get(key) === name);
    if (index === -1) document.addIn(path, document.createNode(record));
    else put(document, [...path, index], record);
  }
}
