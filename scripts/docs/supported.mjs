// docs/supported.md: rules of the service with the marks of their tests, and assumptions, from two tables.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { page } from "./markdown.mjs";
import { marksIn } from "./marks.mjs";

/** How many rules hold, for the README. */
export function rulesSentence() {
  const [tested, others] = [numbersOf("R").length, numbersOf("N").length];
  return `- ${tested} of the ${tested + others} [statements](docs/rules.yaml) in the service's documentation are tested; the other ${others} cannot apply to a local server.`;
}

const ASSUMPTIONS = `Where the service's documentation is silent, the sandbox assumes an answer. In parentheses, how to change it: **config** is a key of
\`payments-sandbox.config.yaml\` (in the library the same in camelCase), **fixtures** a list in the file given with \`--fixtures\`,
**scenario** a rule of a scenario file, **control** a call under \`/_sandbox\`. \`GET /openapi.json\` marks
assumptions about single fields with \`x-sandbox-assumption\`.`;

const RULES = "../../docs/rules.yaml";
const tableOf = (name) => parse(readFileSync(fileURLToPath(new URL(name, import.meta.url)), "utf8"));

/** @param {string} root the package's folder */
export function supportedPage(source, root) {
  for (const [index, rows] of Object.values(tableOf(RULES)).entries()) checkOrder(rows, `R${index + 1}`);
  const rules = numbersOf("R");
  const others = numbersOf("N");
  checkMarks(new Set(rules.map(([number]) => number)), marksBelow(join(root, "test")));
  const assumptions = Object.entries(tableOf("assumptions.yaml"));
  checkChanges(
    assumptions.flatMap(([, rows]) => rows.flatMap(({ change = [] }) => change)),
    source,
  );
  const recordings = recordingsIn(join(root, "recordings"));
  return page("Supported", [
    `The sandbox emulates every operation of [the API](api.md). Each of the ${rules.length} [rules](rules.yaml) taken from the service's documentation
has a test, whose title ends with its number, such as \`[R22.4]\`. ${others.length} more cannot apply to a local server.
[Extensions](scenarios.md#extensions) add to it.`,
    "## Not emulated",
    list(others.map(([, { rule, why }]) => `**${rule}.** ${why}.`)),
    "## Assumptions",
    ASSUMPTIONS,
    recordedText(recordings),
    ...assumptions.flatMap(([title, rows], section) => [
      `### ${title}`,
      list(
        rows.map((row, index) => {
          const number = `A${section + 1}.${index + 1}`;
          const text = typeof row === "string" ? row : `${row.assumed} (${row.change})`;
          return `**${number}** ${text} · ${standingOf(number, recordings)}`;
        }),
      ),
    ]),
  ]);
}

/** Recordings of `compare --record` that are in the repository, by file. */
function recordingsIn(folder) {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  return files.sort().map((file) => ({ file, ...JSON.parse(readFileSync(join(folder, file), "utf8")) }));
}

function recordedText(recordings) {
  return recordings.length === 0
    ? "**None of them is confirmed**: there is no recording of the service in the repository, because nobody here has a key. [compare](compare.md) makes one."
    : `What the recordings say of them: ${recordings.map(({ file, recorded }) => `\`recordings/${file}\` of ${recorded}`).join(", ")}.`;
}

/** If a recording bears an assumption out. */
export function standingOf(number, recordings) {
  const of = (list) =>
    recordings.filter((one) => one[list].includes(number.replace(".", "-"))).map(({ recorded }) => recorded);
  const [against, by] = [of("contradicted"), of("confirmed")];
  if (against.length > 0) return `contradicted ${against.join(", ")}`;
  return by.length > 0 ? `confirmed ${by.join(", ")}` : "unconfirmed";
}

/** Rules whose number begins with that letter. */
const numbersOf = (letter) =>
  Object.values(tableOf(RULES)).flatMap((rows) =>
    Object.entries(rows).filter(([number]) => number.startsWith(letter)),
  );

const list = (lines) => lines.map((line) => `- ${line}`).join("\n");

function checkOrder(rows, section) {
  const numbers = Object.keys(rows).filter((number) => number.startsWith("R"));
  numbers.forEach((number, index) => {
    if (number !== `${section}.${index + 1}`) throw new Error(`rules.yaml: ${number} is out of order`);
  });
}

/** The marks of all test files in a folder. */
function marksBelow(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const texts = files
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .filter((text) => text.includes("[R"));
  return new Set(texts.flatMap(marksIn));
}

function checkMarks(rules, marks) {
  for (const number of rules)
    if (!marks.has(number)) throw new Error(`rules.yaml: no test's title ends with [${number}]`);
  for (const number of marks)
    if (!rules.has(number)) throw new Error(`a test's title ends with [${number}], which rules.yaml lacks`);
}

/** Names after `config`, `option` and `fixtures` must exist. */
function checkChanges(changes, { OPTIONS, FIXTURE_ID_FIELDS, fixturesSchema }) {
  const flags = Object.values(OPTIONS).flatMap(({ flags = "" }) => flags.split(/[ ,]+/));
  const isKnown = {
    config: (name) => /^\w+/.exec(name)[0] in OPTIONS,
    option: (name) => flags.includes(name),
    fixtures: (name) => {
      const [, key, field] = /^(\w+)(?:\[\]\.(\w+))?$/.exec(name);
      return (
        key in FIXTURE_ID_FIELDS &&
        (field === undefined || field in fixturesSchema.shape[key].def.element.shape)
      );
    },
  };
  for (const change of changes)
    for (const [, word, names] of change.matchAll(/\b(config|option|fixtures) ((?:`[^`]+`(?:, )?)+)/g))
      for (const [, name] of names.matchAll(/`([^`]+)`/g))
        if (!isKnown[word](name)) throw new Error(`assumptions.yaml: there is no ${word} ${name}`);
}
