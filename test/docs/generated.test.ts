import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ROOT } from "../support/process-command.js";

it("npm run docs changes no page", async () => {
  const script = join(ROOT, "scripts/docs.mjs");
  const stale = await promisify(execFile)(process.execPath, [script, "--check"]).then(
    () => "",
    ({ stderr }) => stderr,
  );
  expect(stale).toBe("");
});

it("a skipped test does not count for a rule", async () => {
  const { marksIn } = await import(join(ROOT, "scripts/docs/marks.mjs"));
  const source = `
    describe("group", () => {
      it("runs [R1.1]", () => {});
      it.skip("is left out [R1.2]", () => {});
      it.todo("is to come [R1.3]");
      it.fails("fails [R1.4]", () => {});
      it.each([1])("of %i runs [R1.5 R1.6]", () => {});
      it.runIf(true)("runs if [R1.1]", () => {});
    });
    describe.skip("left out", () => { it("too [R1.7]", () => {}); });
    describe.each([1])("each %i [R1.8]", () => { it("[R1.9] has one", () => {}); });
    const text = 'it("in a text [R2.1]", () => {})'; // it("in a comment [R2.2]", () => {})
  `;
  expect(marksIn(source)).toEqual(["R1.1", "R1.5", "R1.6", "R1.1", "R1.8"]);
});
