import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as ts from "typescript/unstable/ast";
import { expect, it } from "vitest";
import { emailSchema } from "../../src/core/schema/common.js";
import { parse } from "../support/syntax.js";

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));

/** Folders whose patterns match text from clients. */
const PLACES = ["core", "server/service", "server/control", "server/http", "tools/scenario"];

function patternsIn(file: string): RegExp[] {
  const found: RegExp[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      found.push(new RegExp(node.text.slice(1, end), node.text.slice(end + 1).replace("g", "")));
    }
    node.forEachChild(visit);
  };
  visit(parse(readFileSync(file, "utf8")));
  return found;
}

const patterns = PLACES.flatMap((place) =>
  readdirSync(SRC + place, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      patternsIn(`${SRC}${place}/${file}`).map((pattern) => [`${place}/${file}`, pattern] as const),
    ),
);

/** Text repeated to make a pattern backtrack. */
const PUMPS = [..."a09 ./:-_@*$}xA=+[\n", "${", "1m", "0.", "a.", "a-", "A_"];
const STARTS = [
  "",
  "a",
  "0",
  "1.",
  "/",
  "http://",
  "http://a@",
  "whsec_",
  "sk_test_",
  "$",
  "${",
  "Bearer ",
  "GET /",
  "2026-01-01T",
  "+1",
];
const LENGTH = 100_000;
/** A linear pattern takes milliseconds, a slow one more than ten seconds. */
const LIMIT_MS = 5_000;

/** Patterns that only see a limited number of characters. */
const BOUNDED: Readonly<Record<string, number>> = {
  "core/schema/time.ts /(\\d+(\\.\\d+)?)(ms|s|m|h|d)/": 100,
  "core/schema/receiver-url.ts /\\.+$/": 2_048,
};

/** Returns the fastest of several runs, to ignore interruptions. */
function duration(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 3 && best > LIMIT_MS; n++) {
    const began = performance.now();
    work();
    best = Math.min(best, performance.now() - began);
  }
  return best;
}

it("finds every regular expression in the source", () => {
  expect(patterns.length).toBeGreaterThan(40);
});

it.each(patterns)("matches in time linear in the text: %s %s", (file, pattern) => {
  const length = BOUNDED[`${file} ${String(pattern)}`] ?? LENGTH;
  for (const pump of PUMPS)
    for (const start of STARTS) {
      // Only a failed match backtracks, so the last character prevents a match.
      const text = `${start}${pump.repeat(length / pump.length)}\0`;
      expect(
        duration(() => pattern.test(text)),
        `${JSON.stringify(start + pump)}…`,
      ).toBeLessThan(LIMIT_MS);
    }
});

it("matches email addresses in linear time", () => {
  for (const pump of PUMPS)
    for (const start of ["", "a", "a@", "a@b."])
      expect(duration(() => emailSchema.safeParse(start + pump.repeat(LENGTH)))).toBeLessThan(LIMIT_MS);
});
