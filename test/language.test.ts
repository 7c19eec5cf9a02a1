import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync } from "rolldown/utils";
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

function textOf(file: string): string {
  return readFileSync(SRC + file, "utf8");
}

/** Separates the comments of a source from its code. */
function splitComments(source: string): { comments: string[]; code: string } {
  const { comments } = parseSync("source.ts", source);
  const code = comments.reduceRight(
    (rest, { start, end }) => `${rest.slice(0, start)} ${rest.slice(end)}`,
    source,
  );
  return { comments: comments.map(({ start, end }) => source.slice(start, end)), code };
}

function wordsOf(text: string): string[] {
  return text.match(/[A-Za-z_$][\w$]*/g) ?? [];
}

/** Names from Node, other tools and protocols. */
const FOREIGN = ["SpanKind", "StatusCode", "coerce", "onChargeAwaitingPayment", "sk_live_ns_", "styleText"];

const words = new Set([...FOREIGN, ...sources.flatMap((file) => wordsOf(splitComments(textOf(file)).code))]);

/** Returns files and names in the comments of a source that do not exist. */
function deadReferences(source: string): string[] {
  return splitComments(source).comments.flatMap((comment) => {
    const paths = [...comment.matchAll(/[\w./-]*\w\.tsx?\b/g)]
      .map(([path]) => path)
      .filter((path) => !files.some((file) => `/${file}`.endsWith(`/${path}`)));
    const names = [...comment.matchAll(/`(#?[\w$]+(?:\.#?[\w$]+)*)(?:\(\))?`/g)]
      .map(([, name]) => name!)
      .filter((name) => !/\.(tsx?|ya?ml)$/.test(name) && wordsOf(name).some((word) => !words.has(word)));
    return [...paths, ...names];
  });
}

describe("the comments of src", () => {
  it.each(sources)("%s names only files and code that exist", (file) => {
    expect(deadReferences(textOf(file))).toEqual([]);
  });

  it.each([
    ["// See `gone.ts`.", "gone.ts"],
    ["// See core/gone/clock.ts.", "core/gone/clock.ts"],
    ["run(); // As `goneForEver()` does.", "goneForEver"],
    ["/** Up to `GONE_FOR_EVER_MS`. */", "GONE_FOR_EVER_MS"],
    ["/** See `Engine.goneForEver`. */", "Engine.goneForEver"],
    [`run(\`a \${b} c\`);\n/** As \`goneForEver\`. */`, "goneForEver"],
  ])("reports %s", (source, name) => {
    expect(deadReferences(source)).toEqual([name]);
  });

  it.each([
    "// Not `z.coerce`: it accepts 1e1.\nrun();",
    "/* `execute()` of engine/engine.ts, `WORK_PER_BATCH`, `Engine.execute`, clock.ts */",
  ])("allows %s", (source) => {
    expect(deadReferences(source)).toEqual([]);
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
