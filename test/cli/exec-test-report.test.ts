import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTestReport } from "../../src/cli/exec/test-report.js";
import { junitXml } from "../../src/cli/report/junit.js";
import { runReport } from "../../src/cli/report/run.js";

const read = (text: string) =>
  Object.fromEntries((readTestReport(text) ?? []).map(({ title, outcome }) => [title, outcome]));

describe("a JUnit report", () => {
  it("as Vitest writes it", () => {
    expect(
      read(`<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="3" failures="1" errors="0" time="0.3">
    <testsuite name="test/shop.test.mjs" timestamp="2026-01-31T09:00:00.000Z" hostname="vm" tests="3">
        <testcase classname="test/shop.test.mjs" name="shop &gt; quotes a price" time="0.07">
        </testcase>
        <testcase classname="test/shop.test.mjs" name="shop &gt; fulfils &lt;once&gt; &amp; only once" time="0.15">
            <failure message="expected 2 to be 1" type="AssertionError">
AssertionError: expected 2 to be 1 // </failure>
        </testcase>
        <testcase classname="test/shop.test.mjs" name="shop &gt; later" time="0"><skipped/></testcase>
    </testsuite>
</testsuites>`),
    ).toEqual({
      "test/shop.test.mjs › shop > quotes a price": "passed",
      "test/shop.test.mjs › shop > fulfils <once> & only once": "failed",
      "test/shop.test.mjs › shop > later": "skipped",
    });
  });

  it("as Node writes it: suites in suites, tests outside of any", () => {
    expect(
      read(`<?xml version="1.0" encoding="utf-8"?>
<testsuites>
	<testsuite name="shop" time="0.2" disabled="0" errors="0" tests="2" failures="1" skipped="0" hostname="vm">
		<testsuite name="orders" time="0.1">
			<testcase name="are paid" time="0.1" classname="test"/>
		</testsuite>
		<testcase name="fulfils once" time="0.1" classname="test" failure="2 !== 1">
			<failure type="testCodeFailure" message="2 !== 1">
[Error [ERR_TEST_FAILURE]: 2 !== 1] {}
			</failure>
		</testcase>
	</testsuite>
	<testcase name="alone" time="0.1" classname="test"/>
	<!-- tests 3 -->
</testsuites>`),
    ).toEqual({ "shop › orders › are paid": "passed", "shop › fulfils once": "failed", alone: "passed" });
  });

  it("as jest-junit and mocha write it: a class that says what the name says", () => {
    expect(
      read(`<testsuites name="jest tests"><testsuite name="shop">
        <testcase classname="shop fulfils once" name="shop fulfils once"/>
        <testcase classname="Orders" name="are paid"><error message="x"/></testcase>
      </testsuite></testsuites>`),
    ).toEqual({ "shop › shop fulfils once": "passed", "shop › Orders › are paid": "failed" });
  });

  it.each([
    [
      "CDATA that looks like tags",
      "<testcase name='a'><system-out><![CDATA[</testcase><failure/>]]></system-out></testcase>",
    ],
    ["a comment that does", "<testcase name='a'><!-- <failure/> --></testcase>"],
    ["a > in an attribute", `<testcase name='a' message="x > <failure/> y"></testcase>`],
    ["a failure outside of a test", "<testsuite><failure/><testcase name='a'/></testsuite>"],
    ["another namespace", "<j:testcase xmlns:j='urn:x' name='a'><j:properties/></j:testcase>"],
    ["a doctype and a byte order mark", "\uFEFF<!DOCTYPE testsuites>\n<testcase name='a'/>"],
  ])("with %s: the test passes", (_name, text) => {
    expect(read(text)).toEqual({ a: "passed" });
  });

  it.each([
    ["&#65;&#x42;&#x1F600;", "AB😀"],
    ["&quot;&apos;&lt;&gt;&amp;lt;", `"'<>&lt;`],
    ["&nbsp; &#x110000; & &;", "&nbsp; &#x110000; & &;"],
    ["two&#10;lines", "two lines"],
  ])("with the name %s", (name, expected) => {
    expect(read(`<testcase name="${name}"/>`)).toEqual({ [expected]: "passed" });
  });

  it("with a test twice: the worse counts", () => {
    expect(
      read(`<testsuite><testcase name="a"/><testcase name="a"><failure/></testcase><testcase name="a"/>
        <testcase name="b"><skipped/></testcase><testcase name="b"/></testsuite>`),
    ).toEqual({ a: "failed", b: "passed" });
  });

  it.each([
    "<testsuite name='s'><testcase name='a'/><testcase name='b",
    "<testsuite name='s'><testcase name='a'/><!--",
  ])("cut short: %s", (text) => {
    expect(read(text)).toEqual({ "s › a": "passed" });
  });

  it("of our own, whatever the names", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => /\S/.test(text));
    fc.assert(
      fc.property(name, name, (suite, title) => {
        const step = { number: 1, title, line: 1, kind: "reset", outcome: "failed", duration_ms: 1 } as const;
        const report = {
          name: suite,
          file: "a.yaml",
          outcome: "failed",
          passed: false,
          duration_ms: 1,
          steps: [step],
          never_happened: [],
          never_happened_at: [],
          warnings: [],
        } as unknown as Parameters<typeof runReport>[0];
        expect(readTestReport(junitXml([runReport(report)]))).toEqual([
          { title: expect.any(String), outcome: "failed" },
        ]);
      }),
    );
  });

  it("is not read in more than linear time", () => {
    const text = `<testsuite ${'a="<" '.repeat(200_000)}><testcase name="a">${"<".repeat(200_000)}`;
    const from = performance.now();
    readTestReport(text);
    expect(performance.now() - from).toBeLessThan(60_000);
  });
});

describe("a TAP report", () => {
  it("as Node writes it", () => {
    expect(
      read(`TAP version 13
# Subtest: shop
    # Subtest: quotes a price
    ok 1 - quotes a price
      ---
      duration_ms: 1
      ...
    # Subtest: fulfils \\#1 once
    not ok 2 - fulfils \\#1 once
      ---
      error: '2 !== 1'
      ...
    ok 3 - later # SKIP
    ok 4 - some day # TODO soon
    1..4
not ok 1 - shop
ok 2 - alone
1..2
# tests 4
`),
    ).toEqual({
      "shop › quotes a price": "passed",
      "shop › fulfils #1 once": "failed",
      "shop › later": "skipped",
      "shop › some day": "skipped",
      alone: "passed",
    });
  });

  it("of a suite that fails though its tests pass", () => {
    expect(read("TAP version 14\n    ok 1 - a\nnot ok 1 - suite\n")).toEqual({
      "suite › a": "passed",
      suite: "failed",
    });
  });
});

it.each(["", "{}", "<html></html>", "everything is okay", "<", "no report\n"])("%j is no report", (text) => {
  expect(readTestReport(text)).toBeUndefined();
});
