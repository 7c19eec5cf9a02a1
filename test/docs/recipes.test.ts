import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { UserProject } from "../support/user-project.js";
import { blocksOfKind, markedBlock } from "./support/pages.js";

const PAGE = "docs/recipes.md";
const recipes = blocksOfKind(PAGE, "runnable");

/** Runs the recipes in one process and prints their outputs as JSON. */
const RUNNER = `
import { format } from "node:util";
const printed = {};
for (const name of process.argv.slice(2)) {
  printed[name] = "";
  console.log = (...words) => { printed[name] += format(...words) + "\\n"; };
  await import("./" + name).catch((error) => console.log(error.stack));
}
process.stdout.write(JSON.stringify(printed));
`;

const project = new UserProject();
let printed: Record<string, string>;

beforeAll(async () => {
  for (const { name, code } of [...blocksOfKind(PAGE, "file"), ...recipes]) project.write(name, code);
  project.write("runner.mjs", RUNNER);
  const end = await project.shell(`node runner.mjs ${recipes.map(({ name }) => name).join(" ")}`);
  expect(end).toMatchObject({ code: 0, stderr: "" });
  printed = JSON.parse(end.stdout);
});

describe(PAGE, () => {
  it("docs/recipes.md has the expected recipes", () => {
    expect(recipes.map(({ name }) => name)).toEqual(
      ["payout", "hosted", "late-payment"].map((name) => `${name}.mjs`),
    );
  });

  it.each(recipes)("the output of $name is the output on the page", ({ name, printed: expected }) => {
    expect(printed[name]).toBe(expected);
  });

  it("the fixtures in docs/recipes.md give a new organization a balance and a charge", async () => {
    const name = "market.yaml";
    project.write(name, markedBlock(PAGE, `fixtures: ${name}`).code);
    const sandbox = await openSandbox({ fixtures: join(project.folder, name) });
    const headers = { authorization: "Bearer sk_test_market" };
    const read = async (path: string) => (await sandbox.fetch(`/api/v1${path}`, { headers })).json();
    expect(await read("/accounts/balances")).toMatchObject({
      balances: expect.arrayContaining([expect.objectContaining({ available_balance: "25000.00" })]),
    });
    expect(await read("/payments/payins")).toMatchObject({
      items: [{ status: "PENDING", amount: "1142.67" }],
    });
  });
});
