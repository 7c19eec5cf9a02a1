import { describe, expect, it } from "vitest";
import { readFlow } from "../../src/core/files/read-flow.js";
import { configFaults } from "../../src/library/options.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { FLOWS, firstSentence, NAMED_SCENARIOS, SHIPPED } from "./support/shipped.js";

describe.each(SHIPPED)("scenarios/$name", (file) => {
  it("scenarios/$name validates without faults and warnings", async () => {
    expect(await validateFile(file.path, { environment: {}, configFaults })).toEqual({
      file: file.path,
      kind: "scenario",
      faults: [],
      warnings: [],
    });
  });

  it("scenarios/$name has its file's name and a description", () => {
    expect(`${file.value.name}.yaml`).toBe(file.name);
    expect(firstSentence(file).length).toBeGreaterThan(20);
    expect(firstSentence(file).length).toBeLessThan(200);
  });

  it("scenarios/$name is well formatted", () => {
    const lines = file.text.split("\n");
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
    expect(lines.filter((line) => /\t|\s$/.test(line))).toEqual([]);
    expect(lines.filter((line) => (/^ */.exec(line)?.[0].length ?? 0) % 2 === 1)).toEqual([]);
    expect(file.text).toMatch(/[^\n]\n$/);
  });
});

it("the built-in scenarios are exactly the documented ones", () => {
  const names = SHIPPED.map(({ value }) => value.name);
  expect(names.filter((name) => !name.startsWith("flow_"))).toEqual([...NAMED_SCENARIOS].sort());
  expect(FLOWS.map(({ value }) => value.name)).toEqual(names.filter((name) => name.startsWith("flow_")));
  expect(SHIPPED.length).toBeGreaterThanOrEqual(20);
});

it("a built-in flow exists for each documented case", () => {
  const documented = `
      bank_transfer mobile_money card crypto hosted_paid hosted_cancelled quote_expired expired paid_late
      refund refund_refused withdrawal withdrawal_failed withdrawal_replay insufficient_balance webhook_outage
      webhook_chaos lost_response flaky_api magic_values test_and_live
    `.trim();
  const names = documented.split(/\s+/).map((name) => `flow_${name}`);
  expect(FLOWS.map(({ value }) => value.name)).toEqual(expect.arrayContaining(names));
});

it("finds a built-in flow by its name and paths", async () => {
  for (const { name, value } of FLOWS)
    expect((await readFlow(name.replace(/^flow_|\.yaml$/g, ""))).value).toEqual(value);
  const { value } = FLOWS.find(({ name }) => name === "flow_card.yaml")!;
  const path = "scenarios/flow_card.yaml";
  const inPackage = `node_modules/payments-sandbox/${path}`;
  for (const one of ["flow_card", "flow_card.yaml", path, `./${path}`, inPackage, path.replace("/", "\\")])
    expect([one, (await readFlow(one)).value]).toEqual([one, value]);
});

it("suggests a name for an unknown file or flow", async () => {
  const messageOf = async (file: string): Promise<string> => {
    return (await validateFile(file, { environment: {}, configFaults })).faults
      .map(({ message }) => message)
      .join("\n");
  };
  expect(await messageOf("crad")).toBe("there is no such file; did you mean the flow card?");
  for (const file of ["card.yaml", "elsewhere/flow_card.yaml", "nothing_like_it_at_all", "declined"])
    expect([file, await messageOf(file)]).toEqual([file, "there is no such file"]);
});
