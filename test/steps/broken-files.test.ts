import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { configFaults } from "../../src/library/options.js";
import { type ValidationResult, validateFile } from "../../src/tools/scenario/validation.js";
import { fileWith } from "../support/scenario-run.js";

/** Returns CPU time where the system reports it, otherwise wall time. */
function threadTimeMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

const MAX_MS = 20_000;
const MAX_BYTES = 500 * 1024 * 1024;

/** One file for all cases: a new folder for each takes ten times as long. */
const FILE = fileWith("");

/** Validates a file and checks that each fault has a position and a one-line message. */
async function validate(content: string | Buffer): Promise<ValidationResult> {
  writeFileSync(FILE, content);
  const result = await validateFile(FILE, { environment: {}, configFaults });
  const lines = String(content).split(/\r\n|\r|\n/).length;
  for (const { line, column, message } of [...result.faults, ...result.warnings]) {
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(lines + 1);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(message).not.toMatch(/^$|\n\s+at |undefined|\[object|TypeError|RangeError|is not a function/);
  }
  return result;
}

const WORDS = `
  name description vars charges withdrawals webhooks faults steps match timeline after after_expiry to reason
  request app advance wait_for expect_charge expect_webhook expect_save status count body metadata copies respond
  times currencies keys port __proto__ constructor toString length charge FAILED 1s << x \${x} \${run.id} \${
`;
const SCALARS = [
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
];
const wordArb = fc.constantFrom(...WORDS.trim().split(/\s+/), "GET /x");
const scalarArb = fc.oneof(
  wordArb,
  fc.string({ maxLength: 8 }),
  fc.double().map(String),
  fc.constantFrom(...SCALARS, "!x y"),
);

/** Generates valid, wrongly typed and malicious values. */
const { value: valueArb } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    scalarArb,
    scalarArb.map((text) => JSON.stringify(text)),
    fc.array(tie("value"), { maxLength: 4 }).map((parts) => `[${parts.join(", ")}]`),
    fc
      .array(fc.tuple(wordArb, tie("value")), { maxLength: 5 })
      .map((pairs) => `{ ${pairs.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(", ")} }`),
    fc.tuple(fc.constantFrom("&a ", "&b "), tie("value")).map((parts) => parts.join("")),
    fc.constantFrom("*a", "*b"),
  ),
}));
const fileArb = fc
  .array(fc.tuple(wordArb, valueArb), { maxLength: 6 })
  .map((pairs) => pairs.map((pair) => pair.join(": ")).join("\n"));

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
const pieceArb = fc.constantFrom(...":{}[]#|>%@'\"\t\n\u0000", "- ", "&a ", "*a", "${");
const damagedArb = fc
  .tuple(fc.nat(VALID.length), fc.nat(20), fc.option(pieceArb))
  .map(
    ([at, length, piece]) =>
      VALID.slice(0, at) + (piece ?? VALID.slice(at, at + 40)) + VALID.slice(at + length),
  );

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");
const steps = (count: number) => `name: x\nsteps:\n${"  - { advance: 1s }\n".repeat(count)}`;
/** Nested YAML anchors, as in a "billion laughs" attack. */
const laughs = lines(
  9,
  (index) => `  v${index}: &v${index} [${(index === 0 ? "l, " : `*v${index - 1}, `).repeat(9)}]`,
);

it.each<[string, fc.Arbitrary<string>, number]>([
  ["random fields and values", fileArb, 200],
  ["random text", fc.string({ unit: "binary", maxLength: 200 }), 100],
  ["a valid file with a piece removed, inserted or repeated", damagedArb, 200],
])("reports faults with positions: %s", async (_content, arb, numRuns) => {
  await fc.assert(
    fc.asyncProperty(arb, async (text) => void (await validate(text))),
    { numRuns },
  );
});

it.each<[string, string | Buffer, RegExp]>([
  ["empty", "", /is not a scenario, fixtures or config file/],
  ["a list", "- 1", /is not a scenario, fixtures or config file/],
  ["unknown fields", "foo: 1\nbar: 2", /is not recognizable as/],
  ["not UTF-8", Buffer.from("name: x\ndescription: caf\u00e9\n", "latin1"), /^is not UTF-8 from here on$/],
  ["aliases that grow exponentially", `name: x\nvars:\n${laughs}`, /^the aliases expand to too much/],
  [
    "50,000 aliases",
    `name: x\nvars:\n  a: &a 1\n${lines(50_000, (n) => `  k${n}: *a`)}`,
    /aliases|too large/,
  ],
  ["100,000 brackets", `name: ${"[".repeat(100_000)}`, /./],
  ["100,000 dashes", `steps:\n  ${"- ".repeat(100_000)}`, /./],
  [
    "5,000 nested objects",
    `name: x\nvars: ${"{ a: ".repeat(5_000)}${"}".repeat(5_000)}`,
    /^is nested deeper than 100 levels$/,
  ],
  ["a million commas", `name: [${",".repeat(1_000_000)}]`, /too large/],
  [
    "a number of 5,000 digits",
    `name: x\nwebhooks: [{ copies: ${"9".repeat(5_000)} }]`,
    /whole number|100|number|int/i,
  ],
  ["1,001 steps", steps(1_001), /^must have at most 1000 entries$/],
  ["250,000 steps", steps(250_000), /too large/],
  ["300,000 fields", lines(300_000, (n) => `key${n}: ${n}`), /too large/],
  ["a name of 5 MB", `name: ${"x".repeat(5_000_000)}`, /letters, digits/],
  ["a field of 5 MB", `${"x".repeat(5_000_000)}: 1\nname: x`, /at most 1024|unknown field/],
  ["more than 5 MB", "#".repeat(6_000_000), /larger than 5 MB/],
  [
    "20,000 unknown fields",
    `name: x\n${lines(20_000, (n) => `unknown${n}: 1`)}`,
    /unknown field.*\(and \d+ more\)$/,
  ],
  [
    "10,000 invalid rules",
    `name: x\ncharges:\n${"  - { timeline: 5 }\n".repeat(10_000)}`,
    /must be .*\(and \d+ more\)$/,
  ],
  [
    "a circle of 500 variables",
    `name: x\nvars:\n${lines(500, (n) => `  v${n}: "$\{v${(n + 1) % 500}}"`)}`,
    /refers to itself/,
  ],
  [
    "variables that grow exponentially",
    `name: x\nvars:\n  v0: "${"x".repeat(100)}"\n${lines(60, (n) => `  v${n + 1}: "$\{v${n}}$\{v${n}}"`)}`,
    /too long/,
  ],
])("reports faults of %s in limited time and memory", async (_content, text, message) => {
  const before = process.memoryUsage().heapUsed;
  const startedMs = threadTimeMs();
  const { faults } = await validate(text);
  expect(threadTimeMs() - startedMs).toBeLessThan(MAX_MS);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(MAX_BYTES);
  expect(faults.length).toBeGreaterThan(0);
  expect(faults.length).toBeLessThanOrEqual(60);
  expect(faults.map((fault) => fault.message).join("\n")).toMatch(new RegExp(message, "m"));
});

it("accepts a file of 1,000 steps", async () => {
  expect((await validate(steps(1_000))).faults).toEqual([]);
});
