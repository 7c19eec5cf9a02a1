import { describe, expect, it } from "vitest";
import { runBlock, runnableBlocks } from "../support/runnable-docs.js";

describe("docs/recipes.md", { timeout: 120_000 }, () => {
  it.each(runnableBlocks("docs/recipes.md"))(
    "$name prints what the page says",
    async ({ name, code, printed }) => {
      expect(await runBlock(name, code)).toEqual({ code: 0, stderr: "", stdout: printed });
    },
  );
});
