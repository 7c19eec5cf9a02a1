import { describe, expect, it } from "vitest";
import { configFaults } from "../../src/options.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { FATES, FLOWS, firstSentence, SHIPPED } from "./support/shipped.js";

describe.each(SHIPPED)("scenarios/$name", (file) => {
  it("validates, and holds nothing that cannot be meant", async () => {
    expect(await validateFile(file.path, { environment: {}, configFaults })).toEqual({
      file: file.path,
      kind: "scenario",
      faults: [],
      warnings: [],
    });
  });

  it("is named like its scenario, and says in a sentence what it is for", () => {
    expect(`${file.value.name}.yaml`).toBe(file.name);
    expect(firstSentence(file).length).toBeGreaterThan(20);
    expect(firstSentence(file).length).toBeLessThan(200);
  });

  it("is written as a model to copy", () => {
    const lines = file.text.split("\n");
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
    expect(lines.filter((line) => /\t|\s$/.test(line))).toEqual([]);
    expect(lines.filter((line) => (/^ */.exec(line)?.[0].length ?? 0) % 2 === 1)).toEqual([]);
    expect(file.text).toMatch(/[^\n]\n$/);
  });
});

describe("the shipped scenarios", () => {
  it("are those that can be asked for by name, and the flows", () => {
    const names = SHIPPED.map(({ value }) => value.name);
    expect(names.filter((name) => !name.startsWith("flow_"))).toEqual([...FATES].sort());
    expect(FLOWS.map(({ value }) => value.name)).toEqual(names.filter((name) => name.startsWith("flow_")));
    expect(SHIPPED.length).toBeGreaterThanOrEqual(20);
  });

  it("have a flow for everything that is documented", () => {
    expect(FLOWS.map(({ value }) => value.name)).toEqual(
      expect.arrayContaining([
        "flow_bank_transfer",
        "flow_mobile_money",
        "flow_card",
        "flow_crypto",
        "flow_hosted_paid",
        "flow_hosted_cancelled",
        "flow_quote_expired",
        "flow_expired",
        "flow_late_payment",
        "flow_refund",
        "flow_refund_refused",
        "flow_withdrawal",
        "flow_withdrawal_failed",
        "flow_withdrawal_replay",
        "flow_insufficient_balance",
        "flow_webhook_outage",
        "flow_webhook_chaos",
        "flow_lost_response",
        "flow_flaky_api",
        "flow_magic_values",
        "flow_test_and_live",
      ]),
    );
  });
});
