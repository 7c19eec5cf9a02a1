// Compares two OpenAPI documents but for their words: `node scripts/compare-openapi.mjs OLD.json NEW.json`. Says each
// place where one has what the other has not, and ends with 1 if there is one.
import { readFileSync } from "node:fs";

const WORDS = new Set(["summary", "description", "example", "examples", "title", "x-sandbox-assumption"]);

/** Keys below these are names that somebody gave: none of them is a word of the document. */
const NAMES = new Set(["properties", "schemas", "paths", "headers", "responses", "webhooks", "mapping"]);

/** Lists whose order says nothing. */
const SETS = new Set(["required", "enum", "parameters", "allOf", "oneOf", "anyOf", "tags", "security"]);

function strip(value, isNames = false, key = "") {
  if (Array.isArray(value)) {
    const all = value.map((one) => strip(one));
    return SETS.has(key) ? all.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : all;
  }
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => isNames || !WORDS.has(name));
  return Object.fromEntries(
    kept
      .map(([name, part]) => [name, strip(part, !isNames && NAMES.has(name), name)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function* differences(a, b, path) {
  if (JSON.stringify(a) === JSON.stringify(b)) return;
  const areObjects = [a, b].every((one) => typeof one === "object" && one !== null && !Array.isArray(one));
  if (!areObjects) {
    yield `${path}: ${JSON.stringify(a)?.slice(0, 200)} → ${JSON.stringify(b)?.slice(0, 200)}`;
    return;
  }
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)]))
    yield* differences(a[name], b[name], `${path}/${name.replaceAll("/", "~1")}`);
}

const [before, after] = process.argv.slice(2, 4).map((file) => strip(JSON.parse(readFileSync(file, "utf8"))));
const found = [...differences(before, after, "#")];
for (const one of found) process.stdout.write(`${one}\n`);
process.stdout.write(found.length === 0 ? "the same but for words\n" : `${found.length} differences\n`);
process.exitCode = found.length === 0 ? 0 : 1;
