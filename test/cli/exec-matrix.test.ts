import { describe, expect, it } from "vitest";
import { type Column, Matrix } from "../../src/cli/exec/matrix.js";

const plainText = { width: 100, isColoured: false };

function column(
  label: string,
  code: number,
  tests?: Record<string, "passed" | "failed" | "skipped">,
): Column {
  return {
    label,
    scenario: label === "plain" ? null : label,
    code,
    durationMs: 1_250,
    tests: tests && Object.entries(tests).map(([title, outcome]) => ({ title, outcome })),
    isReportWanted: tests !== undefined,
  };
}

/** A run that wrote no report though it should have. */
const unreported = (label: string, code: number): Column => ({
  ...column(label, code),
  isReportWanted: true,
});

describe("the matrix", () => {
  it("without reports: a line a run", () => {
    const matrix = new Matrix(
      ["npm", "test"],
      [column("plain", 0), column("declined", 1), column("stuck", 0)],
      [],
    );
    expect(matrix.toText(plainText)).toBe(`npm test
  ✓ plain     passed  exit 0  1.3 s
  ✗ declined  failed  exit 1  1.3 s
  ✓ stuck     passed  exit 0  1.3 s

Your suite breaks under 1 of 2 mishaps: declined.
`);
    expect(matrix.isAllPassed).toBe(false);
  });

  it("a run without the report it should have written has not passed, however good its exit code", () => {
    const columns = [column("plain", 0, { a: "passed" }), unreported("declined", 0), unreported("stuck", 1)];
    const matrix = new Matrix(["npm", "test"], columns, []);
    expect(matrix.toText(plainText)).toBe(`npm test
  ✓ plain     passed  exit 0  1.3 s
  ✗ declined  failed  exit 0  1.3 s  no report
  ✗ stuck     failed  exit 1  1.3 s  no report

Your suite breaks under 1 of 2 mishaps: stuck. No report, so no result: declined.
`);
    expect(matrix.isAllPassed).toBe(false);
    expect(matrix.toJson()).toMatchObject({
      passed: false,
      runs: [{ passed: true }, { passed: false }, { passed: false }],
    });
    const [plain, declined] = columns;
    expect(new Matrix(["npm", "test"], [plain!, declined!], []).toText(plainText)).toMatch(
      /\nNo report, so no result: declined\.\n$/,
    );
  });

  it("with reports: a line a test that breaks, the others in one", () => {
    const matrix = new Matrix(
      ["npm", "test"],
      [
        column("plain", 0, { a: "passed", b: "passed", c: "skipped", d: "passed" }),
        column("webhook_chaos", 1, { a: "passed", b: "failed", c: "skipped", d: "passed" }),
        column("declined", 1, { a: "passed", c: "skipped", e: "failed" }),
        column("stuck", 0, { a: "passed", b: "passed", c: "skipped", d: "passed" }),
      ],
      [],
    );
    expect(matrix.toText(plainText)).toBe(`npm test
  ✓ plain          passed  exit 0  1.3 s
  ✗ webhook_chaos  failed  exit 1  1.3 s  1 of 4 tests break
  ✗ declined       failed  exit 1  1.3 s  3 of 4 tests break
  ✓ stuck          passed  exit 0  1.3 s  0 of 4 tests break

  test  plain  webhook_chaos  declined  stuck
  b     ✓      ✗              -         ✓
  d     ✓      ✓              -         ✓
  e     -      -              ✗         -
  2 tests had the same result in every run

Your suite breaks under 2 of 3 mishaps: webhook_chaos, declined.
`);
    expect(matrix.toJson()).toMatchObject({
      passed: false,
      tests: 5,
      broken: [
        {
          test: "b",
          outcomes: { plain: "passed", webhook_chaos: "failed", declined: "absent", stuck: "passed" },
        },
        { test: "d" },
        { test: "e" },
      ],
    });
  });

  it("does not count the tests that fail where a scenario was cut short", () => {
    const tests = { a: "passed", b: "passed" } as const;
    const slow = {
      name: "slow",
      kind: "mishap",
      active: true,
      charges: [{ timeline: [{ after: "2m", to: "COMPLETED" }] }],
      applied: { "charges.0": 1 },
    } as const;
    const run = (label: string, steps: number, under?: typeof slow): Column => ({
      ...column(label, under === undefined ? 0 : 1, under === undefined ? tests : { ...tests, b: "failed" }),
      under: under as unknown as Column["under"],
      due: { steps, attempts: 0 },
    });
    const early = new Matrix(["x"], [run("plain", 1), run("slow", 2, slow)], []);
    expect(early.toText(plainText)).toBe(`x
  ✓ plain  passed        exit 0  1.3 s
  ? slow   inconclusive  exit 1  1.3 s  1 of 2 tests fail  1 charge; 1 status change still due

  1 test had the same result in every run

Your suite passes plain and under 0 of 1 mishap. Inconclusive, because the run ended too early (advance the clock further in the tests): slow.
`);
    expect(early.toJson()).toMatchObject({ passed: false, inconclusive: ["slow"], broken: [] });
    const late = new Matrix(["x"], [run("plain", 1), run("slow", 1, slow)], []);
    expect(late.toText(plainText)).toContain("Your suite breaks under 1 of 1 mishap: slow.");
  });

  it("takes a run for failed whose report says so, whatever its exit code", () => {
    const matrix = new Matrix(
      ["sh", "-c", "npm test || true"],
      [column("plain", 0, { a: "passed" }), column("declined", 0, { a: "failed" })],
      [],
    );
    expect(matrix.isAllPassed).toBe(false);
    expect(matrix.toText(plainText)).toContain("✗ declined  failed  exit 0");
  });

  it("does not blame the mishap for a test that fails plain too", () => {
    const tests = { a: "failed", b: "passed" } as const;
    const matrix = new Matrix(["x"], [column("plain", 0, tests), column("declined", 0, tests)], []);
    expect(matrix.isAllPassed).toBe(true);
    expect(matrix.toText(plainText)).toContain("2 tests had the same result in every run");
  });

  it("says what was not run, and why", () => {
    const matrix = new Matrix(["x"], [column("plain", 4)], ["declined", "stuck"]);
    expect(matrix.toText(plainText)).toBe(`x
  ✗ plain     failed  exit 4  1.3 s
  - declined  not run
  - stuck     not run

The plain run did not pass: there is nothing to compare the other runs with.
`);
    const cut = new Matrix(["x"], [column("plain", 0), column("declined", 0)], ["stuck"]);
    expect(cut.toText(plainText)).toContain(
      "Your suite passes plain and under 1 of 2 mishaps. 1 of 2 were not run.\n",
    );
    expect(cut.toJson().passed).toBe(false);
  });

  it("numbers the runs where their names leave no room, and keeps to the width", () => {
    const names = [
      "webhook_chaos",
      "webhook_outage",
      "lost_response",
      "insufficient_funds",
      "crypto_confirmations",
    ];
    const title = `test/orders.test.ts › ${"a very long way to say it › ".repeat(5)}fulfils once`;
    const matrix = new Matrix(
      ["npm", "test"],
      [
        column("plain", 0, { [title]: "passed" }),
        ...names.map((name) => column(name, 1, { [title]: "failed" })),
      ],
      [],
    );
    const lines = matrix.toText({ width: 80, isColoured: false }).split("\n");
    const head = lines.findIndex((line) => line.includes("[6]"));
    expect(lines[head]).toMatch(/^ {2}test +\[1\] {2}\[2\] {2}\[3\] {2}\[4\] {2}\[5\] {2}\[6\]$/);
    expect(lines[head + 1]).toMatch(/^ {2}test\/orders\.te….*fulfils once {2}✓ {4}✗ {4}✗ {4}✗ {4}✗ {4}✗$/);
    for (const line of lines.slice(head, head + 2)) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[head + 3]).toContain("[1] plain  [2] webhook_chaos");
  });

  it("is coloured when asked to be, and shows no control characters of others", () => {
    const matrix = new Matrix(
      ["x\u001b[2J"],
      [
        column("plain", 0, { "a\u001b[31m\nb": "passed" }),
        column("declined", 1, { "a\u001b[31m\nb": "failed" }),
      ],
      [],
    );
    expect(matrix.toText(plainText)).not.toContain("\u001b");
    expect(matrix.toText({ width: 100, isColoured: true })).toContain("\u001b[31m✗\u001b[39m");
  });
});
