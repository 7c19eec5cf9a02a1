import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { titlesOf } from "../support/test-titles.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

interface Row {
  readonly number: string;
  readonly statement: string;
  /** The third cell: the tests of a proven row, the reason of one that cannot be. */
  readonly rest: string;
}

/** The rows of every table in the text, without the heads. */
function rowsOf(markdown: string): Row[] {
  return markdown.split("\n").flatMap((line) => {
    if (!line.startsWith("|")) return [];
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
    const [, number = "", statement = "", rest = ""] = cells;
    return number === "No." || /^-+$/.test(number) ? [] : [{ number, statement, rest }];
  });
}

/** The tests a row names, each as file and title. */
function referencesOf(row: Row): { file: string; title: string }[] {
  return [...row.rest.matchAll(/`([^`]+?) › ([^`]+)`/g)].map(([, file, title]) => ({
    file: file!,
    title: title!,
  }));
}

/** What is wrong with what a row names. */
function faultsOf(row: Row): string[] {
  const references = referencesOf(row);
  if (references.length === 0) return ["names no test"];
  return references.flatMap(({ file, title }) => {
    if (!/^test\/.+\.test\.ts$/.test(file) || !existsSync(ROOT + file)) return [`there is no file ${file}`];
    const found = titlesOf(readFileSync(ROOT + file, "utf8")).filter((one) => one.matches(title));
    const exact = found.filter((one) => one.title === title);
    if (found.length === 0) return [`${file} has no test "${title}"`];
    if (found.length > 1 && exact.length !== 1)
      return [`${file} has ${found.length} tests "${title}": ${found.map((one) => one.path).join("; ")}`];
    return [];
  });
}

const rows = rowsOf(readFileSync(`${ROOT}docs/conformance.md`, "utf8"));
const proven = rows.filter((row) => row.number.startsWith("R"));
const unproven = rows.filter((row) => !row.number.startsWith("R"));

describe("docs/conformance.md", () => {
  it("has rows", () => {
    expect(proven.length).toBeGreaterThan(150);
    expect(unproven.length).toBeGreaterThan(10);
  });

  it("numbers each row once, section by section and one after the other", () => {
    for (const [letter, list] of [
      ["R", proven],
      ["N", unproven],
    ] as const) {
      let [section, place] = [0, 0];
      for (const { number } of list) {
        const [, found, nth] = /^[A-Z](\d+)\.(\d+)$/.exec(number) ?? [];
        expect([number, Number(found) >= section]).toEqual([number, true]);
        place = Number(found) === section ? place + 1 : 1;
        section = Number(found);
        expect(number).toBe(`${letter}${section}.${place}`);
        expect(nth).toBe(String(place));
      }
    }
    expect(new Set(rows.map((row) => row.number)).size).toBe(rows.length);
  });

  it("says something in each row, and never twice the same of a section", () => {
    for (const { number, statement } of rows) expect([number, statement.length > 5]).toEqual([number, true]);
    const said = rows.map(({ number, statement }) => `${number.split(".")[0]} ${statement}`);
    expect(new Set(said).size).toBe(said.length);
  });

  it.each(proven.map((row) => [row.number, row.statement, row] as const))(
    "%s is proven: %s",
    (_, __, row) => {
      expect(faultsOf(row)).toEqual([]);
    },
  );

  it.each(unproven.map((row) => [row.number, row] as const))("%s has a reason", (_, row) => {
    expect(row.rest.length).toBeGreaterThan(10);
  });
});

describe("the check of rows", () => {
  const row = (rest: string): Row => ({ number: "R1.1", statement: "Something is so", rest });
  const HERE = "test/docs/conformance.test.ts";

  it.each([
    ["", "names no test"],
    ["see the tests", "names no test"],
    ["`test/docs/nothing.test.ts › has rows`", "there is no file test/docs/nothing.test.ts"],
    ["`docs/conformance.md › has rows`", "there is no file docs/conformance.md"],
    [`\`${HERE} › is nowhere to be found\``, `${HERE} has no test "is nowhere to be found"`],
    [`\`${HERE} › has\``, expect.stringContaining("tests")],
  ])("finds fault with %j", (rest, fault) => {
    expect(faultsOf(row(rest))).toEqual([fault]);
  });

  it.each([
    `\`${HERE} › has rows\``,
    `\`${HERE} › docs/conformance.md › has rows\``,
    `\`${HERE} › %s is proven: %s\``,
    `\`${HERE} › R1.1 is proven: Payin and charge are one\`<br>\`${HERE} › the check of rows\``,
  ])("lets be: %s", (rest) => {
    expect(faultsOf(row(rest))).toEqual([]);
  });

  it("takes no test that does not run or is meant to fail", () => {
    const source = `
      describe("group", () => {
        it("runs", () => {});
        it.skip("is left out", () => {});
        it.todo("is to come");
        it.fails("fails", () => {});
        it.each([1])("of %i runs", () => {});
        it.runIf(true)("runs if", () => {});
      });
      describe.skip("left out", () => { it("too", () => {}); });
      describe.each([1])("each %i", () => { it("has one", () => {}); });
      const text = 'it("in a text", () => {})'; // it("in a comment", () => {})
    `;
    expect(titlesOf(source).map((one) => one.path)).toEqual([
      "group",
      "group › runs",
      "group › of %i runs",
      "group › runs if",
      "each %i",
      "each %i › has one",
    ]);
  });
});
