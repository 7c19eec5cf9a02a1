import { describe, expect, it } from "vitest";
import { run } from "../support/process-command.js";
import { runBlock } from "../support/runnable-docs.js";
import { blocksOf, pageText } from "./support/pages.js";

const PAGE = "README.md";
const blockOf = (marker: string) => blocksOf(PAGE).find((one) => one.marker === marker)!.code;

describe(PAGE, () => {
  it("has at most 900 words", () => {
    expect(pageText(PAGE).split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(900);
  });

  it("has a test that passes unchanged", async () => {
    const name = "first.test.mjs";
    const { code, stdout, stderr } = await runBlock(name, blockOf(`file: ${name}`));
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
  });

  it("shows the output of demo", async () => {
    const unnumbered = (text: string) =>
      text.replace(/\d\d:\d\d:\d\d/g, "time").replace(/_[0-9a-f]{4}…/g, "_…");
    const { code, stdout } = await run(["demo"]);
    expect(code).toBe(0);
    expect(unnumbered(stdout)).toContain(unnumbered(blockOf("printed by demo")));
  });
});
