import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CONTROL_OPERATIONS } from "../../src/http/control/operations.js";
import { openSandbox } from "../support/api-client.js";
import { runnableBlocks } from "../support/runnable-docs.js";

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

describe("docs/control-api.md", () => {
  it("has examples that run as they stand, one after the other", async () => {
    const blocks = runnableBlocks("docs/control-api.md");
    expect(blocks.map((block) => block.name)).toEqual(
      expect.arrayContaining(["advance", "fault", "namespace"]),
    );
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen();
    for (const { name, code } of blocks) {
      const env = { ...process.env, PAYMENTS_SANDBOX_URL: url };
      const { stdout } = await promisify(execFile)("sh", ["-ec", code], { env, timeout: 10_000 });
      expect([name, stdout]).toEqual([name, expect.stringMatching(/^\{.*\}$/s)]);
    }
  });

  it("speaks of every kind of thing there is", () => {
    const text = page("control-api.md");
    const kinds = new Set(CONTROL_OPERATIONS.map(({ path }) => path.split("/").slice(0, 3).join("/")));
    for (const kind of kinds) expect(text).toContain(kind);
  });
});

describe("docs/ci.md", () => {
  const blocks = [...page("ci.md").matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1]!);

  it("has recipes that are YAML, with exec and in the background, for both", () => {
    const texts = blocks.map((block) => JSON.stringify(parse(block)));
    expect(texts.filter((text) => text.includes("runs-on")).length).toBe(2);
    expect(texts.filter((text) => text.includes('"image":"node:20"')).length).toBe(2);
    expect(texts.filter((text) => text.includes("exec -- npm test")).length).toBe(2);
    expect(texts.filter((text) => text.includes("wait ready")).length).toBe(2);
  });

  it("says what is untested", () => {
    expect(page("ci.md")).toContain("Untested");
  });
});
