import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CONTROL_OPERATIONS } from "../../src/server/control/operations.js";
import { openSandbox } from "../support/api-client.js";
import { runnableBlocks } from "../support/runnable-docs.js";

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

describe("docs/control-api.md", () => {
  it("has examples that run unchanged, in order", async () => {
    const blocks = runnableBlocks("docs/control-api.md");
    expect(blocks.map((block) => block.name)).toEqual(
      expect.arrayContaining(["advance", "fault", "namespace"]),
    );
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen();
    for (const { name, code } of blocks) {
      const env = { ...process.env, PAYMENTS_SANDBOX_URL: url };
      const { stdout } = await promisify(execFile)("sh", ["-ec", code], { env, timeout: 100_000 });
      expect([name, stdout]).toEqual([name, expect.stringMatching(/^\{.*\}$/s)]);
    }
  });

  it("mentions every kind of thing", () => {
    const text = page("control-api.md");
    const kinds = new Set(CONTROL_OPERATIONS.map(({ path }) => path.split("/").slice(0, 3).join("/")));
    for (const kind of kinds) expect(text).toContain(kind);
  });
});

describe("the calls of docs/control-api.md", () => {
  const rows = page("control-api.md")
    .split("\n")
    .filter((line) => /^\| `(GET|POST|PATCH)/.test(line))
    .map((line) => line.split(" | ")[0]!);

  it.each(CONTROL_OPERATIONS.map(({ method, path }) => [method, path] as const))(
    "have %s %s in their table",
    (method, path) => {
      const kind = path.split("/").slice(0, 3).join("/");
      const [last] = path.split("/").slice(-1);
      const told = rows.filter((one) => new RegExp(`${kind}(?![\\w-])`).test(one)).join();
      expect(told).toContain(method);
      // The verb at the end of a path, or the id that stands there, is named in a row of its kind.
      if (path !== kind) expect(told).toContain(last!.startsWith(":") ? "{" : `/${last}`);
    },
  );
});

describe("docs/ci.md", () => {
  const blocks = [...page("ci.md").matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1]!);

  it("has recipes that are YAML, with exec and in the background, for GitHub, GitLab and CircleCI", () => {
    const texts = blocks.map((block) => JSON.stringify(parse(block)));
    expect(texts.filter((text) => text.includes("runs-on")).length).toBe(4);
    expect(texts.filter((text) => text.includes("cimg/node")).length).toBe(1);
    expect(texts.filter((text) => text.includes('"image":"node:24"')).length).toBe(2);
    expect(texts.filter((text) => text.includes("exec -- npm test")).length).toBe(2);
    expect(texts.filter((text) => text.includes("wait ready")).length).toBe(2);
  });
});
