import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../src/", import.meta.url));

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/.test(file))
  .sort();

/** A sentence of a comment names its subject first; these words open one whose subject comes later or never. */
const OPENING =
  /(?:^|[.!?] )(What|Whoever|Whether|That|So that|Of|Those|Nobody|Somebody)\b(?! (?:is|are) (?:why|all)\b)/;
/** Words that name nothing: the caller, the client, the process, the user do. */
const VAGUE = /\b(whoever|somebody|nobody|so-?many|what becomes of|hangs on|told of|of its own accord)\b/i;

/** Words of names that the glossary has a better term for. */
const RETIRED =
  /^(again|asked|eyes|forged|genuine|given|keeper|kept|leftovers|lesson|manners|meant|otherwise|patience|plainly|presence|said|sight|slip|slips|told|unfilled|unmeetable|wanted|whose|witness|world)$/;

/** Comments of a source, as text without their marks, with their lines. */
function commentsOf(source: string): { line: number; text: string }[] {
  const scanner = ts.createScanner(ts.ScriptTarget.ESNext, false, ts.LanguageVariant.Standard, source);
  const comments: { line: number; text: string }[] = [];
  let line = 1;
  let until = 0;
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (token !== ts.SyntaxKind.SingleLineCommentTrivia && token !== ts.SyntaxKind.MultiLineCommentTrivia)
      continue;
    line += source.slice(until, scanner.getTokenStart()).split("\n").length - 1;
    until = scanner.getTokenStart();
    const text = scanner
      .getTokenText()
      .replace(/^\/\*+|\*+\/$|^\/\/|^[ \t]*\* ?/gm, " ")
      .replace(/\s+/g, " ")
      .trim();
    comments.push({ line, text });
  }
  return comments;
}

/** Names a source declares at its top level. */
function namesOf(file: string, source: string): string[] {
  const names: string[] = [];
  for (const statement of ts.createSourceFile(file, source, ts.ScriptTarget.ESNext).statements) {
    if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations)
        if (ts.isIdentifier(name)) names.push(name.text);
    } else if (
      "name" in statement &&
      statement.name !== undefined &&
      ts.isIdentifier(statement.name as ts.Node)
    )
      names.push((statement.name as ts.Identifier).text);
  }
  return names;
}

function retiredWord(name: string): string | undefined {
  return name
    .split(/[-_.]|(?<=[a-z0-9])(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .find((word) => RETIRED.test(word));
}

/** Everything in a source that a reader would have to read twice. */
function faultsOf(file: string, source: string): string[] {
  const faults = commentsOf(source).flatMap(({ line, text }) => {
    const found = OPENING.exec(text)?.[1] ?? VAGUE.exec(text)?.[1];
    return found === undefined ? [] : [`${line}: "${found}" in: ${text.slice(0, 100)}`];
  });
  for (const name of [basename(file), ...namesOf(file, source)]) {
    const word = retiredWord(name);
    if (word !== undefined) faults.push(`name ${name}: "${word}" is retired, see docs/glossary.md`);
  }
  return faults;
}

describe("the language of src", () => {
  it.each(sources)("%s reads plainly", (file) => {
    expect(faultsOf(file, readFileSync(SRC + file, "utf8"))).toEqual([]);
  });

  it.each([
    ["/** What is kept. */", 'What" in'],
    ["/** Sums amounts. Whoever asks hears it. */", 'Whoever" in'],
    ["// Tells somebody.\nrun();", 'somebody" in'],
    ["export const keptChange = 1;", '"kept" is retired'],
    ["class Keeper {}", '"keeper" is retired'],
  ])("refuses %s", (source, fault) => {
    expect(faultsOf("a.ts", source)).toEqual([expect.stringContaining(fault)]);
  });

  it("refuses a retired word as the name of a file", () => {
    expect(faultsOf("domain/plainly-right.ts", "")).toHaveLength(1);
  });

  it.each([
    "/** Ids of the charges. */",
    "export const keeps = 1;",
    "// Not `z.coerce`: it accepts 1e1.\nrun();",
  ])("lets be: %s", (source) => {
    expect(faultsOf("a.ts", source)).toEqual([]);
  });
});
