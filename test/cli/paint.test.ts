import { styleText } from "node:util";
import { expect, it } from "vitest";
import { paint } from "../../src/cli/paint.js";

it.each(["bold", "dim", "red", "green", "yellow", "cyan"] as const)("%s is as Node has it", (style) => {
  expect(paint(style, "text", true)).toBe(styleText(style, "text", { validateStream: false }));
  expect(paint(style, "text", false)).toBe("text");
});
