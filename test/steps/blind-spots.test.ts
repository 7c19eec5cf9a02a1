import { describe, expect } from "vitest";
import { junitXml } from "../../src/cli/report/junit.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { reportText } from "../../src/cli/report/text.js";
import { openSandbox } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { Receiver, refuseWith } from "../support/receiver-server.js";
import { pays, runSteps } from "../support/scenario-run.js";

const PAID = `${pays("a@shop.test")}
  - advance: 1h
  - expect_charge: { customer_email: a@shop.test, status: COMPLETED }`;

describe("a run whose checks say little", () => {
  it("says that no step checks anything", async () => {
    const report = await runSteps("  - advance: 1h\n  - repeat: 2\n    steps: [{ advance: 1h }]");
    const message = "no step checks anything: add an expectation, such as expect_charge";
    expect(report).toMatchObject({ passed: true, blind_spots: [message] });
    expect(reportText(reportOfRun(report), 120)).toContain(`○ ${message}`);
    expect(junitXml([reportOfRun(report)])).toContain(`<system-out>${message}</system-out>`);
    expect(reportText(reportOfRun(report, true), 120)).toContain(`✗ blind spot: ${message}`);
    expect(junitXml([reportOfRun(report, true)])).toContain(
      `<failure message="${message}" type="BlindSpot"/>`,
    );
  });

  it.each([
    ["404", 404, "the app accepted none of 12 webhook attempts (404): check the receiver's URL"],
    ["200", 200, undefined],
  ])("says that a receiver that answers %s accepted nothing", async (_, status, message) => {
    const sandbox = await openSandbox();
    await using receiver = await Receiver.open(refuseWith(status));
    await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: receiver.url });
    const { passed, blind_spots } = await runSteps(PAID, { sandbox });
    expect({ passed, blind_spots }).toEqual({ passed: true, blind_spots: message ? [message] : [] });
    const looks = `${PAID}\n  - expect_delivery: { type: charge.completed, count: { gte: 1 } }`;
    expect((await runSteps(looks, { sandbox })).blind_spots).toEqual([]);
  });
});
