import { beforeAll, describe, expect, it } from "vitest";
import { UserProject } from "../support/user-project.js";
import { blocksOfKind, PAGES } from "./support/pages.js";

const pages = PAGES.filter((page) => page.startsWith("docs/cookbook/"));
const recipes = pages.flatMap((page) => blocksOfKind(page, "runnable"));

/** Runs the recipes in sequence in one process, and prints the output of each as JSON. */
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
  for (const { name, code } of [...pages.flatMap((page) => blocksOfKind(page, "file")), ...recipes])
    project.write(name, code);
  project.write("runner.mjs", RUNNER);
  const end = await project.shell(`node runner.mjs ${recipes.map(({ name }) => name).join(" ")}`);
  expect(end).toMatchObject({ code: 0, stderr: "" });
  printed = JSON.parse(end.stdout);
});

describe("the cookbook", () => {
  it("has the expected recipes", () => {
    const names = recipes.map(({ name }) => name.replace(".mjs", ""));
    expect(names).toEqual(
      expect.arrayContaining(["payout", "refund", "hosted", "late-payment", "duplicate", "out-of-order"]),
    );
    expect(names).toEqual(expect.arrayContaining(["lost-response", "rotation", "seed-data", "clock"]));
  });

  it.each(recipes)("the output of $name is the output on the page", ({ name, printed: expected }) => {
    expect(printed[name]).toBe(expected);
  });
});
