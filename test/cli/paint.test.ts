import { styleText } from "node:util";
import { expect, it, vi } from "vitest";
import { paint, wantsColour } from "../../src/cli/text-layout.js";
import { run } from "../support/process-command.js";

it.each(["bold", "dim", "red", "green", "yellow", "cyan"] as const)("%s is as Node has it", (style) => {
  expect(paint(style, "text", true)).toBe(styleText(style, "text", { validateStream: false }));
  expect(paint(style, "text", false)).toBe("text");
});

it.each([
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  [{ FORCE_COLOR: "0" }, false],
  [{ FORCE_COLOR: "", NO_COLOR: "" }, false],
])("where no terminal is, %j asks for colour: %s", (environment, isWanted) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  expect(wantsColour()).toBe(isWanted);
  vi.unstubAllEnvs();
});

it("--no-color is taken by every command, whatever the environment says", async () => {
  for (const args of [
    ["--no-color", "validate", "nobody-has.yaml"],
    ["validate", "--no-color", "nobody-has.yaml"],
  ]) {
    const { code, stdout, stderr } = await run(args, { env: { FORCE_COLOR: "1" } });
    expect([code, stdout + stderr]).toEqual([
      2,
      expect.stringMatching(/^nobody-has\.yaml:1:1 there is no such file/),
    ]);
  }
});
