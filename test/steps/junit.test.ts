import { expect, it } from "vitest";
import { reportOfReconciliation } from "../../src/cli/report/books.js";
import { reportOfExploration } from "../../src/cli/report/explore.js";
import { junitXml } from "../../src/cli/report/junit.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { reportOfWebhookCheck } from "../../src/cli/report/webhook.js";
import type { RunReport } from "../../src/tools/scenario/running/run-report.js";
import { checkAt, serve } from "../doctor/receivers.js";
import { EXPLORED } from "../support/explored.js";

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

function parseXml(xml: string): Element {
  expect(xml).not.toMatch(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u);
  const root: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  let at = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n/.exec(xml)![0].length;
  const token = /<(\/?)([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;
  while (at < xml.length) {
    token.lastIndex = at;
    const match = token.exec(xml);
    if (match === null) throw new Error(`not well-formed at ${xml.slice(at, at + 40)}`);
    at = token.lastIndex;
    const [, close, name, attributes, empty, text] = match;
    const parent = open.at(-1)!;
    if (text !== undefined) parent.text += unescaped(text);
    else if (close === "/") {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes nothing`);
    } else {
      const pairs = [...attributes!.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [
        key!,
        unescaped(value!),
      ]);
      expect(new Set(pairs.map(([key]) => key)).size).toBe(pairs.length);
      const element = { name: name!, attributes: Object.fromEntries(pairs), children: [], text: "" };
      parent.children.push(element);
      if (empty !== "/") open.push(element);
    }
  }
  expect(open).toHaveLength(1);
  expect(root.children).toHaveLength(1);
  return root.children[0]!;
}

function unescaped(text: string): string {
  const known: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return text.replace(/&([^;\s&]*)(;?)/g, (whole, name: string, end: string) => {
    const sign = name.startsWith("#") ? String.fromCodePoint(Number(name.slice(1))) : known[name];
    if (end !== ";" || sign === undefined) throw new Error(`${whole} is no entity`);
    return sign;
  });
}

const NASTY = "<a href=\"x\">&amp; 'q' ]]> \u0000\u0008\u001b\uD800 \uFFFE 😀 é\nnew\tline";

const report = (over: Partial<RunReport>): RunReport => ({
  file: "flow.yaml",
  name: "flow",
  outcome: "passed",
  passed: true,
  run_id: "1",
  duration_ms: 1_234,
  steps: [],
  applied: {},
  blind_spots: [],
  never_happened: [],
  never_happened_at: [],
  warnings: [],
  ...over,
});

/** An element in `junit-10.xsd` of the Jenkins plugin xUnit: its attributes (`!`: required) and its child elements. */
const SCHEMA: Readonly<Record<string, { readonly attributes: string; readonly children: string }>> = {
  testsuites: { attributes: "name time tests failures errors", children: "testsuite" },
  testsuite: {
    attributes:
      "name! tests! failures! errors! group time skipped timestamp hostname id package file log url",
    children: "testsuite properties testcase system-out system-err",
  },
  testcase: {
    attributes: "name! time classname group",
    children: "skipped error failure rerunFailure rerunError flakyFailure flakyError system-out system-err",
  },
  failure: { attributes: "type message", children: "" },
  error: { attributes: "type message", children: "" },
  skipped: { attributes: "type message", children: "" },
  "system-out": { attributes: "", children: "" },
};
/** The schema's SUREFIRE_TIME. */
const TIME = /^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$/;
const WITH_TEXT = ["failure", "error", "skipped", "system-out"];

function expectSchema({ name, attributes, children, text }: Element): void {
  const rules = SCHEMA[name]!;
  const known = rules.attributes.split(" ");
  for (const key of Object.keys(attributes)) expect(known.map((one) => one.replace("!", ""))).toContain(key);
  for (const key of known) if (key.endsWith("!")) expect(attributes).toHaveProperty(key.slice(0, -1));
  if (attributes.time !== undefined && name !== "testcase") expect(attributes.time).toMatch(TIME);
  if (!WITH_TEXT.includes(name)) expect(text.trim()).toBe("");
  for (const child of children) {
    expect(rules.children.split(" ")).toContain(child.name);
    expectSchema(child);
  }
}

/** Checks the schema, then more than it says: totals, times and one result a case. */
function expectValidSuites(suites: Element): void {
  expect(suites.name).toBe("testsuites");
  expectSchema(suites);
  const sums: Record<string, number> = { tests: 0, failures: 0, errors: 0, skipped: 0 };
  for (const suite of suites.children) {
    expect(suite.attributes.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const cases = suite.children.filter(({ name }) => name !== "system-out");
    expect(suite.children.slice(cases.length).length).toBeLessThanOrEqual(1);
    const count = { tests: cases.length, failures: 0, errors: 0, skipped: 0 };
    for (const one of cases) {
      expect(one.attributes.classname).toBeTruthy();
      expect(one.attributes.time).toMatch(/^\d+\.\d{3}$/);
      expect(one.children.length).toBeLessThanOrEqual(1);
      for (const { name, attributes } of one.children) {
        if (name === "failure" || name === "error") expect(attributes.message).toBeDefined();
        if (name === "failure") count.failures++;
        if (name === "error") count.errors++;
        if (name === "skipped") count.skipped++;
      }
    }
    for (const [name, value] of Object.entries(count)) {
      expect(Number(suite.attributes[name]), name).toBe(value);
      sums[name]! += value;
    }
  }
  for (const name of ["tests", "failures", "errors"])
    expect(Number(suites.attributes[name]), name).toBe(sums[name]);
}

it("the JUnit report follows the schema for every outcome", () => {
  const step = { kind: "advance", line: 3, duration_ms: 5 } as const;
  const suites = parseXml(
    junitXml(
      [
        report({ warnings: [NASTY] }),
        report({
          outcome: "failed",
          steps: [
            { ...step, number: 1, title: "fine", outcome: "passed" },
            {
              ...step,
              number: 2,
              title: NASTY,
              outcome: "failed",
              failure: { message: NASTY, expected: NASTY, got: { [NASTY]: 1 } },
            },
            { ...step, number: 3, title: "never", outcome: "not_run" },
          ],
        }),
        report({
          outcome: "error",
          steps: [{ ...step, number: 1, title: "gone", outcome: "error", failure: { message: "no" } }],
        }),
        report({
          outcome: "error",
          error: "there is no sandbox",
          steps: [{ ...step, number: 1, title: "x", outcome: "not_run" }],
        }),
      ].map((one) => reportOfRun(one)),
    ),
  );
  expectValidSuites(suites);
  expect(suites.attributes).toMatchObject({
    tests: "6",
    failures: "1",
    errors: "2",
    time: "4.936",
  });
  const [, failed] = suites.children[1]!.children;
  // XML does not allow these characters, so the report has U+FFFD.
  const shown = ["\u0000", "\u0008", "\u001b", "\uD800", "\uFFFE"].reduce(
    (text, sign) => text.replace(sign, "\uFFFD"),
    NASTY,
  );
  expect(failed!.attributes.name).toBe(`2. ${shown}`);
  expect(failed!.children[0]!.attributes.message).toBe(shown);
  expect(failed!.children[0]!.text).toContain("flow.yaml:3");
  expect(suites.children[1]!.children[2]!.children[0]).toMatchObject({
    name: "skipped",
    text: "flow.yaml:3",
  });
  const [noted] = suites.children[0]!.children;
  expect(noted).toMatchObject({ name: "system-out", text: `warning: ${shown}` });
});

it("JUnit reports of check-webhook, reconcile and explore follow the schema", async () => {
  const { url } = await serve(() => ({ status: 400, text: NASTY }));
  const checked = await checkAt(url);
  const finding = { kind: "unknown_charge", row: 1, charge_id: null, order: null, message: NASTY } as const;
  const books = { passed: false, rows: 1, charges: 0, compared: [], total: 2, findings: [finding] };
  const suites = parseXml(
    junitXml([
      reportOfWebhookCheck(checked),
      reportOfWebhookCheck({ ...checked, outcome: "unreachable", error: NASTY }),
      reportOfReconciliation(books),
      reportOfExploration("flow.yaml", EXPLORED),
    ]),
  );
  expectValidSuites(suites);
  const explored = suites.children[3]!.children;
  expect(explored.map(({ attributes, text }) => attributes.name ?? text)).toEqual([
    "single deviations",
    "response_lost at createWhitelabel#1",
    "webhook_first at charge.completed#1",
    "webhook_twice at charge.completed#1",
    "webhook_late at charge.completed#1",
    "a warning\nnot tried: read_stale: the plain run has no place for it",
  ]);
});
