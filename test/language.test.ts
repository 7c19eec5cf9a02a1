import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../src/", import.meta.url));
const TEST = fileURLToPath(new URL(".", import.meta.url));

const sources = filesOf(SRC)
  .filter((file) => /\.tsx?$/.test(file))
  .sort();
/** Files that a comment may mention. */
const files = [...sources, ...filesOf(TEST).map((file) => `test/${file}`)];

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/"));
}

/** Openings that delay the subject of a sentence. */
const OPENING =
  /(?:^|[.!?] )(What|Whoever|Whether|That|So that|Of|Those|Nobody|Somebody)\b(?! (?:is|are) (?:why|all)\b)/;
/** Pronouns without a noun; use the caller, the client, the process or the user. */
const VAGUE = /\b(whoever|somebody|nobody|so-?many|what becomes of|hangs on|told of|of its own accord)\b/i;

/** Rejected words, each with its replacement. */
const RETIRED = new Map(
  `again=repeated asked=requested eyes=observer forged=invalid genuine=valid given=input keeper=group-commit kept=stored
   leftovers=cleanup lesson=diagnosis manners=client-practice meant=match otherwise=other patience=deadline plainly=quick
   presence=lease said=message sight=observation slip=typo slips=typos told=reported unfilled=missing-variables
   unmeetable=impossible wanted=expected whose=owner witness=evidence world=namespace`
    .split(/\s+/)
    .map((pair) => pair.split("=") as [string, string]),
);

interface Comment {
  readonly pos: number;
  readonly end: number;
  readonly line: number;
  /** The comment's text without `//` or `/*`. */
  readonly text: string;
}

function commentsOf(source: string): Comment[] {
  const file = ts.createSourceFile("a.ts", source, ts.ScriptTarget.ESNext);
  const ends = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(source, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.end) ?? []),
    ];
    for (const { pos, end } of ranges) ends.set(pos, end);
    if (!ts.isJSDoc(node)) node.getChildren(file).forEach(visit);
  };
  visit(file);
  const ordered = [...ends].sort(([one], [other]) => one - other);
  return ordered.map(([pos, end]) => ({
    pos,
    end,
    line: file.getLineAndCharacterOfPosition(pos).line + 1,
    text: source
      .slice(pos, end)
      .replace(/^\/\*+|\*+\/$|^\/\/|^[ \t]*\* ?/gm, " ")
      .replace(/\s+/g, " ")
      .trim(),
  }));
}

/** Returns the names declared at the top level of a source. */
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
    .find((word) => RETIRED.has(word));
}

/** Names from Node, other tools and protocols. */
const FOREIGN = ["SpanKind", "StatusCode", "coerce", "onChargeAwaitingPayment", "sk_live_ns_", "styleText"];

const words = new Set([...FOREIGN, ...sources.flatMap((file) => wordsOf(withoutComments(textOf(file))))]);

function textOf(file: string): string {
  return readFileSync(SRC + file, "utf8");
}

function withoutComments(source: string): string {
  return commentsOf(source).reduceRight(
    (code, { pos, end }) => `${code.slice(0, pos)} ${code.slice(end)}`,
    source,
  );
}

function wordsOf(text: string): string[] {
  return text.match(/[A-Za-z_$][\w$]*/g) ?? [];
}

/** Returns names in a comment that do not exist in the code. */
function deadReferences(comment: string): string[] {
  const paths = [...comment.matchAll(/[\w./-]*\w\.tsx?\b/g)]
    .map(([path]) => path)
    .filter((path) => !files.some((file) => `/${file}`.endsWith(`/${path}`)));
  const names = [...comment.matchAll(/`(#?[\w$]+(?:\.#?[\w$]+)*)(?:\(\))?`/g)]
    .map(([, name]) => name!)
    .filter((name) => !/\.(tsx?|ya?ml)$/.test(name) && wordsOf(name).some((word) => !words.has(word)));
  return [...paths, ...names];
}

function faultsOf(file: string, source: string): string[] {
  const faults = commentsOf(source).flatMap(({ line, text }) => {
    const dead = deadReferences(text).map((name) => `${line}: "${name}" does not exist`);
    const found = OPENING.exec(text)?.[1] ?? VAGUE.exec(text)?.[1];
    return found === undefined ? dead : [...dead, `${line}: "${found}" in: ${text.slice(0, 100)}`];
  });
  for (const name of [basename(file), ...namesOf(file, source)]) {
    const word = retiredWord(name);
    if (word !== undefined)
      faults.push(
        `name ${name}: "${word}" is retired; say ${RETIRED.get(word)}, or a word of docs/glossary.md`,
      );
  }
  return faults;
}

describe("the language of src", () => {
  it.each(sources)("%s follows the naming rules", (file) => {
    expect(faultsOf(file, textOf(file))).toEqual([]);
  });

  it.each([
    ["/** What is kept. */", 'What" in'],
    ["/** Sums amounts. Whoever asks hears it. */", 'Whoever" in'],
    ["// Tells somebody.\nrun();", 'somebody" in'],
    ["export const keptChange = 1;", '"kept" is retired'],
    ["class Keeper {}", '"keeper" is retired'],
    ["// See `gone.ts`.", '"gone.ts" does not exist'],
    ["// See core/gone/clock.ts.", '"core/gone/clock.ts" does not exist'],
    ["run(); // As `goneForEver()` does.", '"goneForEver" does not exist'],
    ["/** Up to `GONE_FOR_EVER_MS`. */", '"GONE_FOR_EVER_MS" does not exist'],
    ["/** See `Engine.goneForEver`. */", '"Engine.goneForEver" does not exist'],
    [`run(\`a \${b} c\`);\n/** What is kept. */`, '2: "What" in'],
  ])("refuses %s", (source, fault) => {
    expect(faultsOf("a.ts", source)).toEqual([expect.stringContaining(fault)]);
  });

  it("refuses a rejected word in a file name", () => {
    expect(faultsOf("domain/plainly-right.ts", "")).toHaveLength(1);
  });

  it.each([
    "/** Ids of the charges. */",
    "export const keeps = 1;",
    "// Not `z.coerce`: it accepts 1e1.\nrun();",
    "/* `execute()` of engine/engine.ts, `TASKS_PER_BATCH`, `Engine.execute`, clock.ts */",
  ])("allows: %s", (source) => {
    expect(faultsOf("a.ts", source)).toEqual([]);
  });
});

/** Docs and examples must use the same failure names as src. */
const USERS = ["docs", "examples", "fixtures", "scenarios"].flatMap((folder) =>
  filesOf(fileURLToPath(new URL(`../${folder}/`, import.meta.url)))
    .filter((file) => /\.(md|ya?ml|json|m?js|ts|py)$/.test(file) && !file.includes("node_modules"))
    .map((file) => `../${folder}/${file}`),
);

it("every failure has one name, such as `response_lost` or `paid_late`", () => {
  const others = /\b\w*(answer_(lost|held|5xx|429)|lost_answer|lose_answer|late_payment)\b/;
  expect(
    [...sources, ...USERS].flatMap((file) => others.exec(`${file}\n${textOf(file)}`)?.[0] ?? []),
  ).toEqual([]);
});
