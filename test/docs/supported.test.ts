import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { titlesOf } from "../support/test-titles.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

interface Row {
  readonly number: string;
  readonly statement: string;
  /** The third cell: the tests of a rule, or why it cannot be emulated. */
  readonly rest: string;
}

const RULE = /^\| ([RN][\d.]+) \| (.*) \| ([^|]*) \|$/;

/** The numbered rows of all tables. */
function rowsOf(markdown: string): Row[] {
  return markdown.split("\n").flatMap((line) => {
    const [, number, statement, rest] = RULE.exec(line) ?? [];
    return number === undefined ? [] : [{ number, statement: statement!, rest: rest! }];
  });
}

/** The numbers that tests of a source have at the end of their titles. */
function numbersIn(source: string): string[] {
  if (!/\[R\d/.test(source)) return [];
  return titlesOf(source).flatMap(
    (title) => /\[(R[\d.]+(?: R[\d.]+)*)\]$/.exec(title)?.[1]?.split(" ") ?? [],
  );
}

/** The test files of each rule, as the page names them. */
function filesByRule(folder: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".test.ts")).sort())
    for (const number of new Set(numbersIn(readFileSync(join(folder, file), "utf8"))))
      found.set(number, [...(found.get(number) ?? []), `\`${file.replace(".test.ts", "")}\``]);
  return found;
}

const PAGE = readFileSync(`${ROOT}docs/supported.md`, "utf8");
const rows = rowsOf(PAGE);
const tested = filesByRule(`${ROOT}test`);
const rules = rows.filter((row) => row.number.startsWith("R"));
const others = rows.filter((row) => row.number.startsWith("N"));

/** The page with the files and counts that the tests give today. */
function generated(): string {
  const withFiles = PAGE.split("\n").map((line) => {
    const [, number, statement] = RULE.exec(line) ?? [];
    if (!number?.startsWith("R")) return line;
    return `| ${number} | ${statement} | ${tested.get(number)?.join(", ") ?? "nothing"} |`;
  });
  return withFiles
    .join("\n")
    .replace(
      /\d+ rules are emulated and tested; \d+/,
      `${rules.length} rules are emulated and tested; ${others.length}`,
    );
}

describe("docs/supported.md", () => {
  it("names the tests of each rule (`vitest run -u` writes them)", async () => {
    await expect(generated()).toMatchFileSnapshot("../../docs/supported.md");
    expect(rules.filter(({ number }) => !tested.has(number))).toEqual([]);
  });

  it("has rows", () => {
    expect(rules.length).toBeGreaterThan(150);
    expect(others.length).toBeGreaterThan(10);
  });

  it("numbers each row once, section by section, in order", () => {
    for (const [letter, list] of [
      ["R", rules],
      ["N", others],
    ] as const) {
      let [section, place] = [0, 0];
      for (const { number } of list) {
        const [, found, nth] = /^[A-Z](\d+)\.(\d+)$/.exec(number) ?? [];
        expect(Number(found), number).toBeGreaterThanOrEqual(section);
        place = Number(found) === section ? place + 1 : 1;
        section = Number(found);
        expect(number).toBe(`${letter}${section}.${place}`);
        expect(nth).toBe(String(place));
      }
    }
    expect(new Set(rows.map((row) => row.number)).size).toBe(rows.length);
  });

  it("has text in each row, without repetition within a section", () => {
    for (const { number, statement } of rows) expect(statement.length, number).toBeGreaterThan(5);
    const said = rows.map(({ number, statement }) => `${number.split(".")[0]} ${statement}`);
    expect(new Set(said).size).toBe(said.length);
  });

  it("gives the reason for each row that is not emulated", () => {
    expect(others.filter(({ rest }) => rest.length <= 10)).toEqual([]);
  });
});

describe("a test of a rule", () => {
  it("has a number of the page", () => {
    const numbers = new Set(rules.map(({ number }) => number));
    expect([...tested.keys()].filter((number) => !numbers.has(number))).toEqual([]);
  });

  it("runs, and is not expected to fail", () => {
    const source = `
      describe("group", () => {
        it("runs [R1.1]", () => {});
        it.skip("is left out [R1.2]", () => {});
        it.todo("is to come [R1.3]");
        it.fails("fails [R1.4]", () => {});
        it.each([1])("of %i runs [R1.5 R1.6]", () => {});
        it.runIf(true)("runs if [R1.1]", () => {});
      });
      describe.skip("left out", () => { it("too [R1.7]", () => {}); });
      describe.each([1])("each %i [R1.8]", () => { it("[R1.9] has one", () => {}); });
      const text = 'it("in a text [R2.1]", () => {})'; // it("in a comment [R2.2]", () => {})
    `;
    expect(numbersIn(source)).toEqual(["R1.1", "R1.5", "R1.6", "R1.1", "R1.8"]);
  });
});
