import { describe, expect, it } from "vitest";
import { runBlock, runnableBlocks } from "../support/runnable-docs.js";

describe("README", () => {
  const blocks = runnableBlocks("README.md");

  it("has a path from nothing to a paid charge", () => {
    expect(blocks.map((block) => block.name)).toContain("first-charge.mjs");
  });

  it.each(blocks)(
    "$name runs as it stands and prints what the page says",
    async ({ name, code, printed }) => {
      const { stdout, stderr, code: exit } = await runBlock(name, code);
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      expect(stdout).toBe(printed);
    },
  );
});
