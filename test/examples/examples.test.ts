import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import { ROOT } from "../support/process-command.js";
import { Example, manifestIn } from "./support/example.js";

const EXAMPLES = [
  {
    name: "express-shop",
    tests: /pass 15$/m,
    finds: "bad-days",
    duplicate: "told twice, the shop ships once",
  },
  { name: "hono-shop", tests: /pass 10$/m, finds: "webhooks", duplicate: "told twice, the shop ships once" },
  {
    name: "vitest-parallel",
    tests: /Tests {2}12 passed/,
    finds: "chaos",
    duplicate: "told twice and in the wrong order, the shop ships once",
  },
] as const;

it("every example folder is tested", () => {
  const folders = readdirSync(join(ROOT, "examples"), { withFileTypes: true }).filter((one) =>
    one.isDirectory(),
  );
  // Another test explores the folder `incidents`.
  const others = folders.filter(({ name }) => name !== "incidents");
  expect(others.map(({ name }) => name)).toEqual(EXAMPLES.map(({ name }) => name));
});

describe.each(EXAMPLES)("$name", ({ name, tests, finds, duplicate }) => {
  it("$name passes as its README says, without network access", async () => {
    const example = new Example(name);
    const { code, output } = await example.test();
    expect(code, output).toBe(0);
    expect(output).toMatch(tests);
    expect(example.wentOut).toEqual([]);
  });

  it("$name fails with a naive webhook handler", async () => {
    const example = new Example(name);
    const naive = readFileSync(join(example.folder, "src/fulfil.naive.js"), "utf8");
    example.edit("src/fulfil.js", () => naive);
    example.keep(finds);
    const { code, output } = await example.test();
    expect(code, output).toBe(1);
    expect(failuresIn(output)).toEqual(
      expect.arrayContaining([duplicate, "the books are right on a bad day, and nothing else is asked for"]),
    );
    expect(output).toContain("delivered_twice");
    expect(failuresIn(output)).not.toContainEqual(expect.stringContaining("naive"));
  });

  it("$name uses the tested versions of its packages", () => {
    const { dependencies, devDependencies } = manifestIn(join(ROOT, "examples", name));
    const tested = manifestIn(ROOT).devDependencies!;
    for (const [dependency, range] of Object.entries({ ...dependencies, ...devDependencies }))
      expect(range, dependency).toBe(dependency === "payments-sandbox" ? "file:../.." : tested[dependency]);
  });

  it("$name has a README without dead links", () => {
    const folder = join(ROOT, "examples", name);
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    const links = [...readme.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target]) => target!);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) expect(readFileSync(join(folder, link), "utf8")).not.toBe("");
    for (const [secret] of readme.matchAll(/whsec_[\w+/=]+/g)) expect(secret).toBe(DEFAULT_WEBHOOK_SECRET);
  });
});

describe("vitest-parallel", () => {
  it("vitest-parallel fails when its files share a namespace", async () => {
    const example = new Example("vitest-parallel");
    example.edit("tests/support/world.js", (text) => text.replace(/(?<=return )basename\(.*\)/, '"shared"'));
    const { code, output } = await example.test();
    expect(code, output).toBe(1);
    expect(failuresIn(output)).toContain("sees nothing of the files that run at the same time");
  });
});

describe("the network guard", () => {
  it("the network guard refuses connections to other machines", async () => {
    const example = new Example("hono-shop");
    const script = `
      require("node:http").createServer((_, response) => response.end("here")).listen(0, async function () {
        const near = await fetch("http://localhost:" + this.address().port).then((answer) => answer.text());
        const far = await fetch("http://192.0.2.1/").catch((error) => error.cause.message);
        console.log(near, far);
        process.exit();
      });
    `;
    const { output } = await example.run(`node -e '${script}'`);
    expect(output).toBe("here offline: 192.0.2.1\n");
    expect(example.wentOut).toEqual(["192.0.2.1"]);
  });
});

/** Returns the titles of failed tests from the output of a test runner. */
function failuresIn(output: string): string[] {
  const node = [...output.matchAll(/^ *(?:not ok \d+ -|✖) (.+?)(?: \([\d.]+ms\))?$/gm)].map(
    ([, title]) => title!,
  );
  const vitest = [...output.matchAll(/^ FAIL .+ > (.+)$/gm)].map(([, title]) => title!);
  return [...node, ...vitest];
}
