// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import { junitXml } from "../../src/cli/report/junit.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { reportText } from "../../src/cli/report/text.js";
import { expectPassed, failed, pays, runSteps } from "../support/scenario-run.js";

const list = "request: GET /api/v1/payments/payins";

describe("repeat", () => {
  it("runs its steps that many times, with the number of the iteration", async () => {
    const report = await expectPassed(`
  - repeat: 30
    as: i
    steps:${pays("c${i}@shop.test").replaceAll("\n  ", "\n      ")}
  - expect_charge: { customer_email: "c*@shop.test", count: 30 }
  - expect_charge: { customer_email: c30@shop.test, charge_id: "\${charge}" }`);
    expect(report.steps.map(({ title }) => title)[0]).toBe("repeat 30");
    expect(report.steps[0]?.steps).toBeUndefined();
  });

  it("reports the failed iteration at its line", async () => {
    const report = await runSteps(`
  - fault: { match: { operation: listPayins }, respond: { status: 503 }, skip: 2 }
  - repeat: 300
    as: page
    steps:
      - advance: 1s
      - request: GET /api/v1/payments/payins
        expect:
          status: 200
      - advance: 2s
  - advance: 1s`);
    const text = reportText(reportOfRun(report));
    expect(failed(report)).toMatchObject({
      title: "repeat 300",
      failure: { message: "page 3: status 503, not 200" },
      steps: [{ outcome: "passed" }, { outcome: "failed", part: "page 3" }, { outcome: "not_run" }],
    });
    expect(text).toMatch(/✗ +page 3: request GET \/api\/v1\/payments\/payins[^✗]*scenario\.yaml:11\n/);
    expect(text.match(/status 503, not 200/g)).toHaveLength(1);
    const xml = junitXml([reportOfRun(report)]);
    expect(xml).toMatch(/<testcase name="2\.2\. page 3: request GET [^>]* line="11">\s*<failure/);
    expect(xml).toContain('tests="5" failures="1" errors="0" skipped="2"');
  });

  it("shows its progress", async () => {
    const shown: string[] = [];
    await runSteps("  - { repeat: 2, as: n, steps: [{ advance: 1s }] }", {
      onStepBegin: (title, number, of) => shown.push(`${number}/${of} ${title}`),
    });
    expect(shown).toEqual(["1/1 repeat 2", "1/1 repeat 2: n 1", "1/1 repeat 2: n 2"]);
  });
});

describe("parallel", () => {
  it("gives each lane its own variables, and passes on what they saved when all have ended", async () => {
    const asked: string[] = [];
    const report = await expectPassed(
      `
  - parallel:
      - - { ${list}, save: { code: status } }
        - wait_for: idle
        - manual: "lane 1 \${code}"
      - - { request: GET /_sandbox/clock, save: { code: body.mode } }
        - manual: "lane 2 \${code}"
  - manual: "after \${code}"`,
      {
        manual: async (text) => {
          asked.push(text);
        },
      },
    );
    expect(report.steps[0]?.steps?.map(({ part }) => part)).toEqual([
      ...Array(3).fill("lane 1"),
      ...Array(2).fill("lane 2"),
    ]);
    expect(asked.sort()).toEqual(["after manual", "lane 1 200", "lane 2 manual"]);
  });

  it("runs the lanes' calls concurrently", async () => {
    await expectPassed(
      `
  - parallel:
      - [{ ${list} }]
      - - request: GET /_sandbox/requests
          expect: { body: { items: [{ operation: listPayins, in_flight: true }] } }`,
      { rules: "faults: [{ match: { operation: listPayins }, delay: 500ms }]" },
    );
  });

  it("names the failed lane, and lets the others end", async () => {
    const report = await runSteps(`
  - parallel: [[{ advance: 1s }, { ${list} }], [{ request: GET /api/v1/nowhere }, { reset: true }]]`);
    expect(failed(report)).toMatchObject({ failure: { message: "lane 2: status 404, not 2xx" } });
    expect(failed(report)?.steps?.map(({ outcome }) => outcome)).toEqual([
      "passed",
      "passed",
      "failed",
      "not_run",
    ]);
  });
});
