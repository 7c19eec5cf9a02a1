import { expect, it } from "vitest";
import { readFlow } from "../../src/core/files/read-flow.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { FLOWS } from "./support/shipped.js";

it("a flow that is shipped is found by its name, and by every path it has", async () => {
  for (const { name, value } of FLOWS)
    expect((await readFlow(name.replace(/^flow_|\.yaml$/g, ""))).value).toEqual(value);
  const { value } = FLOWS.find(({ name }) => name === "flow_card.yaml")!;
  const path = "scenarios/flow_card.yaml";
  const inPackage = `node_modules/payments-sandbox/${path}`;
  for (const one of ["flow_card", "flow_card.yaml", path, `./${path}`, inPackage, path.replace("/", "\\")])
    expect([one, (await readFlow(one)).value]).toEqual([one, value]);
});

it("what is neither a file nor a flow is told, with the flow that may be meant", async () => {
  const messageOf = async (file: string): Promise<string> => {
    const options = { environment: {}, configFaults: async () => [] };
    return (await validateFile(file, options)).faults.map(({ message }) => message).join("\n");
  };
  expect(await messageOf("crad")).toBe("there is no such file; did you mean the flow card?");
  for (const file of ["card.yaml", "elsewhere/flow_card.yaml", "nothing_like_it_at_all", "declined"])
    expect([file, await messageOf(file)]).toEqual([file, "there is no such file"]);
});
