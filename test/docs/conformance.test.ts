import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { titlesOf } from "../support/test-titles.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

interface Row {
  readonly number: string;
  readonly statement: string;
  /** The third cell: where a row is proven, or the reason why one cannot be. */
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

/** The numbers that tests of a source have at the end of their titles. */
function numbersIn(source: string): string[] {
  if (!/\[R\d/.test(source)) return [];
  return titlesOf(source).flatMap(
    (title) => /\[(R[\d.]+(?: R[\d.]+)*)\]$/.exec(title)?.[1]?.split(" ") ?? [],
  );
}

/** What the page should say of each number that a test has: the files, and how many tests each has of it. */
function proofsBelow(folder: string): Map<string, string> {
  const proofs = new Map<string, string>();
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".test.ts")).sort()) {
    const numbers = numbersIn(readFileSync(join(folder, file), "utf8"));
    for (const number of new Set(numbers)) {
      const count = numbers.filter((one) => one === number).length;
      const said = count === 1 ? `\`${file}\`` : `\`${file}\` × ${count}`;
      proofs.set(number, proofs.has(number) ? `${proofs.get(number)}<br>${said}` : said);
    }
  }
  return proofs;
}

const rows = rowsOf(readFileSync(`${ROOT}docs/internal/conformance.md`, "utf8"));
const proofs = proofsBelow(`${ROOT}test`);
const proven = rows.filter((row) => row.number.startsWith("R"));
const unproven = rows.filter((row) => !row.number.startsWith("R"));

describe("docs/internal/conformance.md", () => {
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
      expect(row.rest).toBe(proofs.get(row.number));
    },
  );

  it.each(unproven.map((row) => [row.number, row] as const))("%s has a reason", (_, row) => {
    expect(row.rest.length).toBeGreaterThan(10);
  });
});

describe("a test that proves a row", () => {
  it("has a number that a row has", () => {
    const numbers = new Set(proven.map(({ number }) => number));
    expect([...proofs.keys()].filter((number) => !numbers.has(number))).toEqual([]);
  });

  it("runs, and is not meant to fail", () => {
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
