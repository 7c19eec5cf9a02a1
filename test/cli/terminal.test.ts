import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import fc from "fast-check";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { printErrorMessage } from "../../src/cli/errors.js";
import { printErrorLine, printJson, printText } from "../../src/cli/terminal.js";
import { isColourEnabled, paint } from "../../src/cli/text-layout.js";
import { validate } from "../../src/cli/validate.js";
import { toPrintableValue } from "../../src/core/schema/text-format.js";
import { UserError } from "../../src/core/schema/user-error.js";
import { run } from "../support/process-command.js";
import { offTerminal, onTerminal } from "../support/standard-output.js";

/** Control characters, except line ends and tabs. */
const CONTROL_CHARACTERS = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/u;
/** Escape sequences, bidi overrides and invisible characters. */
const HOSTILE = [
  "\u001b]0;x\u0007",
  "\u001b[2J",
  "\u009b31m",
  "\u007f",
  "\r",
  "\u202e",
  "\u2066",
  "\u200b",
  "\u{e0041}",
  "\u2028",
];
const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" })))
  .map((parts) => parts.join(""));

function written(stream: NodeJS.WriteStream, work: () => void): string {
  const write = vi.spyOn(stream, "write").mockReturnValue(true);
  work();
  const text = write.mock.calls.map(([chunk]) => String(chunk)).join("");
  write.mockRestore();
  return text;
}

afterEach(offTerminal);

it("removes control characters from untrusted text", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(written(process.stdout, () => printText(text))).not.toMatch(CONTROL_CHARACTERS);
      const line = written(process.stderr, () => printErrorLine(text));
      expect(line).not.toMatch(CONTROL_CHARACTERS);
      expect(line.indexOf("\n")).toBe(line.length - 1);
    }),
  );
});

it("an error is wrapped at words on a terminal, behind a red name", () => {
  onTerminal(40, process.stderr);
  vi.stubEnv("FORCE_COLOR", "1");
  const error = new UserError(`--under ${"nope ".repeat(20)}\nend`);
  const lines = written(process.stderr, () => printErrorMessage(error)).split("\n");
  const name = paint("red", "payments-sandbox:");
  expect(lines.slice(0, 2)).toEqual([`${name} --under nope nope`, `  ${"nope ".repeat(7)}nope`.slice(0, 36)]);
  expect(lines.at(-2)).toBe(`${name} end`);
});

it("prints JSON that parses to the original text", () => {
  fc.assert(
    fc.property(fc.jsonValue(), hostileText, fc.constantFrom(0, 2), (value, text, indent) => {
      const all = { [text]: value, text };
      const output = written(process.stdout, () => printJson(all, indent));
      expect(output).not.toMatch(CONTROL_CHARACTERS);
      expect(JSON.parse(output)).toEqual(JSON.parse(JSON.stringify(all)));
    }),
  );
});

it("removes colours from untrusted text", () => {
  onTerminal(80);
  vi.stubEnv("NO_COLOR", undefined);
  const output = written(process.stdout, () =>
    printText(paint("red", toPrintableValue({ a: ["\u001b[32mx\ny"] }).a[0]!)),
  );
  expect(output).toBe("\u001b[31m\uFFFD[32mx\uFFFDy\u001b[39m");
  expect(written(process.stdout, () => printText(`${paint("bold", "x")}\u001b[8m\u001b[2J`))).toBe(
    "\u001b[1mx\u001b[22m\uFFFD[8m\uFFFD[2J",
  );
});

it("validate paints faults red on a terminal, wraps them and ends with their number", async () => {
  vi.stubEnv("FORCE_COLOR", "1");
  onTerminal(40);
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => {
    write.mockRestore();
    offTerminal();
    process.exitCode = 0;
  });
  await validate(["a-scenario-that-is-not-there.yaml"], {});
  const text = write.mock.calls.join("");
  expect(text).toMatch(/^.\[31ma-scenario-that-is-not-there\.yaml:\n {2}\S/);
  expect(text).toContain(`${paint("bold", "1 file: 1 fault, 0 warnings")}\n`);
});

it("all output of the command line goes through terminal.ts", () => {
  const folder = fileURLToPath(new URL("../../src/cli", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  expect(files.length).toBeGreaterThan(20);
  const writing = files.filter((name) =>
    /\bstd(out|err)\b[\s.]*write\b|\bconsole\./.test(readFileSync(join(folder, name), "utf8")),
  );
  expect(writing).toEqual(["terminal.ts"]);
});

it.each(["bold", "dim", "red", "green", "yellow", "cyan"] as const)(
  "%s has the escape codes of Node's styleText",
  (style) => {
    expect(paint(style, "text", true)).toBe(styleText(style, "text", { validateStream: false }));
    expect(paint(style, "text", false)).toBe("text");
  },
);

it.each([
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  [{ FORCE_COLOR: "0" }, false],
  [{ FORCE_COLOR: "", NO_COLOR: "" }, false],
])("%j turns on colour without a terminal: %s", (environment, isWanted) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  expect(isColourEnabled()).toBe(isWanted);
});

it("--no-color overrides the environment", async () => {
  for (const args of [
    ["--no-color", "validate", "nobody-has.yaml"],
    ["validate", "--no-color", "nobody-has.yaml"],
  ]) {
    const { code, stdout, stderr } = await run(args, { env: { FORCE_COLOR: "1" } });
    expect([code, stdout + stderr]).toEqual([
      2,
      expect.stringMatching(/^nobody-has\.yaml: there is no such file/),
    ]);
  }
});
