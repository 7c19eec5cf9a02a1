import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errorText } from "../../src/core/schema/error-text.js";
import { systemErrorText } from "../../src/core/schema/system-error-text.js";
import { UserError } from "../../src/core/schema/user-error.js";
import { networkErrorReason } from "../../src/tools/scenario/running/client.js";
import { ROOT } from "../support/built.js";

const refused = (address: string) => new Error(`connect ECONNREFUSED ${address}`);
const REFUSED = new AggregateError([refused("127.0.0.1:9"), refused("::1:9")]);
const WITHOUT_MESSAGE = / was thrown without a message \(.+error-text\.test\.ts:\d+:\d+\)$/;
const circular = new Error("");
circular.cause = circular;

/** Everything that can be thrown, with the text that says so. */
const THROWN: readonly [name: string, thrown: unknown, text: string | RegExp][] = [
  ["an error", new Error("it failed"), "it failed"],
  ["an error of another realm", { name: "Error", message: "it failed" }, "it failed"],
  ["an error without a message", new Error(), WITHOUT_MESSAGE],
  ["an error with a blank message", new TypeError(" \n"), /^TypeError was thrown without/],
  ["a user's error without a message", new UserError(""), /^UserError was thrown without/],
  ["an error with a code alone", Object.assign(new Error(), { code: "ECONNRESET" }), "ECONNRESET"],
  ["an error with a cause alone", new Error("", { cause: REFUSED }), /127\.0\.0\.1:9; .*::1:9$/],
  ["a refused connection", REFUSED, "connect ECONNREFUSED 127.0.0.1:9; connect ECONNREFUSED ::1:9"],
  ["an aggregate of nothing", new AggregateError([]), /^AggregateError was thrown without/],
  ["an error that is its own cause", circular, WITHOUT_MESSAGE],
  ["a text", "it failed", "it failed"],
  ["an empty text", "", 'something was thrown that is no error: ""'],
  ["undefined", undefined, "something was thrown that is no error: undefined"],
  ["null", null, "something was thrown that is no error: null"],
  ["a number", 0, "something was thrown that is no error: 0"],
  ["a symbol", Symbol("x"), "something was thrown that is no error: Symbol(x)"],
  ["an empty object", {}, "something was thrown without a message"],
  ["an object without a prototype", Object.create(null), "something was thrown without a message"],
];

it.each(THROWN)("the text of what was thrown is never empty: %s", (_, thrown, text) => {
  expect(errorText(thrown)).toEqual(text instanceof RegExp ? expect.stringMatching(text) : text);
  for (const describe of [systemErrorText, networkErrorReason]) expect(describe(thrown).trim()).not.toBe("");
});

it("errorText alone makes the text of a caught error", () => {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  const own = files.filter(
    (file) =>
      file.endsWith(".ts") &&
      /instanceof Error\s*\?\s*\(?\w+\.message/.test(readFileSync(join(ROOT, "src", file), "utf8")),
  );
  expect(own).toEqual([]);
});
