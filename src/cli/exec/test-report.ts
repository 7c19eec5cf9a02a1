import { own } from "../../schema/own.js";

/** What a report says of one test. */
export interface TestResult {
  /** The same in every run of the suite. */
  readonly title: string;
  readonly outcome: "passed" | "failed" | "skipped";
}

/** The tests of a JUnit XML or TAP report, each title once; undefined for what is neither. */
export function readTestReport(text: string): TestResult[] | undefined {
  const content = text.replace(/^\uFEFF/, "");
  const found = /^\s*</.test(content) ? junitTests(content) : tapTests(content);
  if (found === undefined) return undefined;
  // A test that was run more often, with other parameters or once more, is as good as its worst run.
  const worst = new Map<string, TestResult["outcome"]>();
  for (const { title, outcome } of found) {
    const before = worst.get(title);
    if (before === undefined || SEVERITY[outcome] > SEVERITY[before]) worst.set(title, outcome);
  }
  return [...worst].map(([title, outcome]) => ({ title, outcome }));
}

const SEVERITY = { skipped: 0, passed: 1, failed: 2 } as const;
const BETWEEN = " › ";

/** `<testcase name classname>` wherever it stands, named by the suites around it. */
function junitTests(text: string): TestResult[] | undefined {
  const suites: string[] = [];
  const tests: TestResult[] = [];
  let current: OpenTest | undefined;
  let isReport = false;
  for (const { name, attributes, isOpening, isClosing } of xmlTags(text)) {
    isReport ||= name === "testsuites" || name === "testsuite" || name === "testcase";
    switch (name) {
      case "testsuite":
        if (isOpening) suites.push(attributes.name ?? "");
        if (isClosing) suites.pop();
        break;
      case "testcase":
        if (isOpening) current = { title: titleOf(suites, attributes), outcome: "passed" };
        if (!isClosing || current === undefined) break;
        tests.push(current);
        current = undefined;
        break;
      default:
        if (isOpening && current !== undefined) current.outcome = worse(current.outcome, OUTCOMES.get(name));
    }
  }
  return isReport ? tests : undefined;
}

type OpenTest = { title: string; outcome: TestResult["outcome"] };

/** What an element inside a test says of it. */
const OUTCOMES: ReadonlyMap<string, TestResult["outcome"]> = new Map([
  ["failure", "failed"],
  ["error", "failed"],
  ["skipped", "skipped"],
]);

/** A test that failed has failed, and one that is skipped has not passed. */
function worse(
  before: TestResult["outcome"],
  said: TestResult["outcome"] | undefined,
): TestResult["outcome"] {
  return said === undefined || before === "failed" ? before : said;
}

/** Reporters say the same thing in several attributes; each part once is enough. */
function titleOf(suites: readonly string[], { name = "", classname = "" }: Record<string, string>): string {
  const around = suites.filter((suite) => suite.trim() !== "");
  const isSaid =
    classname === "" || classname === "test" || around.includes(classname) || name.startsWith(classname);
  return [...around, ...(isSaid ? [] : [classname]), name].join(BETWEEN).replace(/\s+/g, " ").trim();
}

interface Tag {
  /** Without a prefix. */
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly isOpening: boolean;
  /** Both for `<a/>`. */
  readonly isClosing: boolean;
}

/** The tags of an XML text, in order. Text, comments and CDATA are passed over; a text cut short ends there. */
function* xmlTags(text: string): Generator<Tag> {
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at)) {
    const skipped = SKIPPED.find(([begin]) => text.startsWith(begin, at));
    const end = skipped === undefined ? tagEnd(text, at) : text.indexOf(skipped[1], at + skipped[0].length);
    if (end === -1) return;
    if (skipped === undefined) yield readTag(text.slice(at + 1, end));
    at = end + (skipped?.[1].length ?? 1);
  }
}

const SKIPPED = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
  ["<!", ">"],
] as const;

/** The `>` that ends the tag: one in quotes does not. */
function tagEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const sign = text[at];
    if (sign === ">") return at;
    if (sign === '"' || sign === "'") {
      at = text.indexOf(sign, at + 1);
      if (at === -1) return -1;
    }
  }
  return -1;
}

function readTag(inner: string): Tag {
  const isEnd = inner.startsWith("/");
  const isEmpty = inner.endsWith("/");
  const name = /^\/?\s*([^\s/>]*)/.exec(inner)![1]!;
  const attributes: Record<string, string> = {};
  for (const match of inner.matchAll(/([^\s="'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    attributes[match[1]!] = decoded(match[2] ?? match[3] ?? "");
  return {
    name: name.slice(name.indexOf(":") + 1),
    attributes,
    isOpening: !isEnd,
    isClosing: isEnd || isEmpty,
  };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return own(ENTITIES, name as string) ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** `ok` and `not ok` lines; a subtest stands indented above the line of the test it belongs to. */
function tapTests(text: string): TestResult[] | undefined {
  interface Line extends TestResult {
    readonly depth: number;
  }
  let open: Line[] = [];
  let isReport = false;
  for (const line of text.split(/\r?\n/)) {
    isReport ||= /^TAP version \d+/.test(line);
    const match = /^( *)(not )?ok\b *\d* *(?:- )?(.*)$/.exec(line);
    if (match === null) continue;
    isReport = true;
    const [, indent = "", not, said = ""] = match;
    const directive = /(?<!\\)#\s*(skip|todo)\b.*$/i.exec(said);
    const title = said
      .slice(0, directive?.index)
      .replace(/\\([#\\])/g, "$1")
      .trim();
    const outcome = directive !== null ? "skipped" : not === undefined ? "passed" : "failed";
    const depth = indent.length;
    const inside = open.filter((one) => one.depth > depth);
    open = open.filter((one) => one.depth <= depth);
    // A test that failed though its parts did not says so itself.
    const isOwnFault = outcome === "failed" && !inside.some((one) => one.outcome === "failed");
    for (const one of inside) open.push({ ...one, depth, title: [title, one.title].join(BETWEEN) });
    if (inside.length === 0 || isOwnFault) open.push({ depth, title, outcome });
  }
  return isReport ? open : undefined;
}
