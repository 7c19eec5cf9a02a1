// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configFaults } from "../../src/library/options.js";
import { type ValidationResult, validateFile } from "../../src/tools/scenario/validation.js";
import { fileWith } from "../support/scenario-run.js";
import { threadTimeMs } from "../support/thread-time.js";

const MOST_MS = 20_000;
const MOST_MEMORY = 500 * 1024 * 1024;

/** One file, written anew each time: a folder for each takes a tenth of the time of them all. */
const FILE = fileWith("");

/** Every fault has its place in the file, and says in a line what is wrong. */
async function check(text: string): Promise<ValidationResult> {
  writeFileSync(FILE, text);
  const result = await validateFile(FILE, { environment: {}, configFaults });
  const lines = text.split(/\r\n|\r|\n/);
  for (const fault of [...result.faults, ...result.warnings]) {
    expect(fault.line).toBeGreaterThanOrEqual(1);
    expect(fault.line).toBeLessThanOrEqual(lines.length + 1);
    expect(fault.column).toBeGreaterThanOrEqual(1);
    expect(fault.message).not.toMatch(/\n\s+at |undefined|\[object|TypeError|RangeError|is not a function/);
    expect(fault.message).not.toBe("");
  }
  return result;
}

const WORDS = [
  ...`
  name description vars charges withdrawals webhooks faults steps match timeline after after_expiry to reason
  request app advance wait_for expect_charge expect_webhook expect save status count body metadata copies respond
  times currencies keys port __proto__ constructor toString length charge FAILED 1s << x
  `
    .trim()
    .split(/\s+/),
  "GET /x",
  "${x}",
  "${run.id}",
  "${",
];
const wordArb = fc.constantFrom(...WORDS);
const scalarArb = fc.oneof(
  wordArb,
  fc.string({ maxLength: 8 }),
  fc.double().map(String),
  fc.constantFrom(
    "null",
    "~",
    "true",
    "1e999",
    "-0",
    "0x1F",
    "9".repeat(400),
    ".nan",
    "2026-01-01",
    "!!binary x",
    "!x y",
  ),
);

/** Values as a person, a slip of the keyboard or a hostile one would write them, in flow style. */
const { value: valueArb } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    scalarArb,
    scalarArb.map((text) => JSON.stringify(text)),
    fc.array(tie("value"), { maxLength: 4 }).map((parts) => `[${parts.join(", ")}]`),
    fc
      .array(fc.tuple(wordArb, tie("value")), { maxLength: 5 })
      .map((pairs) => `{ ${pairs.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(", ")} }`),
    fc.tuple(fc.constantFrom("&a ", "&b "), tie("value")).map(([anchor, value]) => `${anchor}${value}`),
    fc.constantFrom("*a", "*b"),
  ),
}));
const fileArb = fc
  .array(fc.tuple(wordArb, valueArb), { maxLength: 6 })
  .map((pairs) => pairs.map(([key, value]) => `${key}: ${value}`).join("\n"));

const VALID = `name: x
vars: { email: "qa+\${run.id}@shop.test" }
charges:
  - match: { customer_email: "\${email}", amount: { lt: "5" } }
    timeline:
      - { after: 2s, to: AWAITING_PAYMENT }
      - { after: 20s, to: FAILED, reason: declined }
webhooks:
  - { match: { type: charge.failed }, copies: 2 }
steps:
  - request: POST /api/v1/payments/quotes
    body: { pricing: { amount: "5" } }
    save: { quote: body.quote_id }
  - expect_charge: { charge_id: "\${quote}", count: 1 }
`;

describe("any broken file gets its faults and their places", () => {
  it("for files of random words and values", async () => {
    await fc.assert(
      fc.asyncProperty(fileArb, async (text) => {
        await check(text);
      }),
      { numRuns: 400 },
    );
  });

  it("for random text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (text) => {
        await check(text);
      }),
      { numRuns: 200 },
    );
  });

  it("for a good file with a piece removed, inserted or repeated", async () => {
    const pieces = fc.constantFrom(...":{}[]#|>%@'\"\t\n\u0000", "- ", "&a ", "*a", "${");
    await fc.assert(
      fc.asyncProperty(fc.nat(VALID.length), fc.nat(20), fc.option(pieces), async (at, length, piece) => {
        await check(VALID.slice(0, at) + (piece ?? VALID.slice(at, at + 40)) + VALID.slice(at + length));
      }),
      { numRuns: 400 },
    );
  });

  const lines = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join("\n");

  it.each<[string, string, RegExp]>([
    ["nothing", "", /is not a scenario, fixtures or config file/],
    ["a list", "- 1", /is not a scenario, fixtures or config file/],
    ["unknown words", "foo: 1\nbar: 2", /is not recognizable as/],
    ["a duplicate key", "name: x\nsteps: []\nname: y", /^"name" is here twice$/],
    ["a duplicate key, nested deeply", "name: x\nvars: { a: { b: 1, b: 2 } }", /^"b" is here twice$/],
    ["tabs", "name: x\nsteps:\n\t- advance: 1s", /[Tt]abs/],
    ["a value that contains itself", "name: x\nvars: &v { a: *v }", /^\*v contains itself$/],
    ["an alias of an unknown anchor", "name: *nope", /nope/],
    [
      "a billion laughs",
      `name: x\nvars:\n  a: &a [l, l, l, l, l, l, l, l, l]\n${["b", "c", "d", "e", "f", "g", "h", "i"].map((key, index) => `  ${key}: &${key} [${`*${"abcdefgh"[index]},`.repeat(9)}]`).join("\n")}`,
      /[Aa]lias/,
    ],
    [
      "endless aliases",
      `name: x\nvars:\n  a: &a 1\n${lines(50_000, (index) => `  k${index}: *a`)}`,
      /aliases|too large/,
    ],
    ["endless brackets", `name: ${"[".repeat(100_000)}`, /./],
    ["endless dashes", `steps:\n  ${"- ".repeat(100_000)}`, /./],
    [
      "braces that open and close endlessly",
      `name: x\nvars: ${"{ a: ".repeat(5_000)}${"}".repeat(5_000)}`,
      /^is nested deeper than 100 levels$/,
    ],
    ["commas", `name: [${",".repeat(1_000_000)}]`, /too large/],
    ["huge numbers", `name: x\nwebhooks: [{ copies: ${"9".repeat(5_000)} }]`, /whole number|100|number|int/i],
    ["five megabytes of steps", `name: x\nsteps:\n${"  - { advance: 1s }\n".repeat(250_000)}`, /too large/],
    ["five megabytes of keys", lines(300_000, (index) => `key${index}: ${index}`), /too large/],
    ["a long name", `name: ${"x".repeat(5_000_000)}`, /letters, digits/],
    ["a long word", `${"x".repeat(5_000_000)}: 1\nname: x`, /at most 1024|unknown field/],
    ["more than five megabytes", "#".repeat(6_000_000), /larger than 5 MB/],
    [
      "thousands of unknown words",
      `name: x\n${lines(20_000, (index) => `unknown${index}: 1`)}`,
      /unknown field.*\(and \d+ more\)$/,
    ],
    [
      "thousands of wrong rules",
      `name: x\ncharges:\n${"  - { timeline: 5 }\n".repeat(10_000)}`,
      /must be .*\(and \d+ more\)$/,
    ],
    [
      "variables in a circle",
      `name: x\nvars:\n${lines(500, (index) => `  v${index}: "$\{v${(index + 1) % 500}}"`)}`,
      /refers to itself/,
    ],
    [
      "variables that grow exponentially",
      `name: x\nvars:\n  v0: "${"x".repeat(100)}"\n${lines(60, (index) => `  v${index + 1}: "$\{v${index}}$\{v${index}}"`)}`,
      /too long/,
    ],
  ])("for %s, in bounded time and memory", async (_what, text, message) => {
    const before = process.memoryUsage().heapUsed;
    const startedMs = threadTimeMs();
    const result = await check(text);
    expect(threadTimeMs() - startedMs).toBeLessThan(MOST_MS);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(MOST_MEMORY);
    expect(result.faults.length).toBeGreaterThan(0);
    expect(result.faults.length).toBeLessThanOrEqual(60);
    expect(result.faults.map((fault) => fault.message).join("\n")).toMatch(
      new RegExp(message.source, `${message.flags}m`),
    );
  });

  it("names the place of a fault in an alias", async () => {
    const { faults } = await check(
      "name: x\nvars: { t: &t { after: soon, to: FAILED } }\ncharges: [{ timeline: [*t] }]",
    );
    expect(faults).toMatchObject([{ line: 2, field: "charges.0.timeline.0.after" }]);
  });
});
