import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { OPTION_ROWS } from "../../src/cli/options.js";
import { FIXTURE_ID_FIELDS, fixturesSchema } from "../../src/core/schema/fixtures-file.js";
import { startOptionsSchema } from "../../src/core/schema/option-table.js";

const text = readFileSync(fileURLToPath(new URL("../../docs/assumptions.md", import.meta.url)), "utf8");
const changes = text.split("\n").flatMap((line) => {
  const cells = line.startsWith("| ") ? line.split("|").map((cell) => cell.trim()) : [];
  return cells.length === 4 && cells[2] !== "Change it with" ? [{ assumed: cells[1]!, how: cells[2]! }] : [];
});

/** The names in backticks after that word, up to the next sentence or word of its kind. */
function namedAfter(word: string, how: string): string[] {
  return [...how.matchAll(new RegExp(`\\b${word} ((?:\`[^\`]+\`(?:, )?)+)`, "g"))].flatMap(([, names]) =>
    [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  );
}

const named = (word: string) => [...new Set(changes.flatMap(({ how }) => namedAfter(word, how)))];

describe("docs/assumptions.md", () => {
  it("says of each assumption how to change it, or that it cannot be changed", () => {
    expect(changes.length).toBeGreaterThan(80);
    for (const { assumed, how } of changes)
      expect(how, assumed).toMatch(/^–$|\b(config|fixtures|scenario|control|option)\b|\?wait/);
  });

  it.each(named("config"))("config key %s exists", (name) => {
    expect(Object.keys(startOptionsSchema.shape)).toContain(/^\w+/.exec(name)![0]);
  });

  it.each(named("option"))("option %s exists", (flag) => {
    expect(OPTION_ROWS.some(({ flags }) => flags.split(/[ ,]+/).includes(flag))).toBe(true);
  });

  it.each(named("fixtures"))("fixtures field %s exists", (name) => {
    const [, list, field] = /^(\w+)(?:\[\]\.(\w+))?$/.exec(name)!;
    expect(Object.keys(FIXTURE_ID_FIELDS)).toContain(list);
    const record = fixturesSchema.shape[list as keyof typeof FIXTURE_ID_FIELDS].def.element;
    if (field !== undefined) expect(Object.keys(record.shape)).toContain(field);
  });
});
