import { describe, expect, it } from "vitest";
import { PAGES, pageText } from "./support/pages.js";

const FIRST = ["README.md", "docs/start-here.md", "docs/getting-started.md"];
const BEFORE_SCENARIOS = [...FIRST, "docs/ways-to-start.md", "docs/languages.md"];

const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found!);

describe.each(FIRST)("%s", (page) => {
  const text = pageText(page);

  it("has one customer, besides magic ones, and one price", () => {
    const customers = all(text, /\b([a-z]+)[^\s"`@]*@example\.com/g);
    expect(new Set(customers.filter((name) => name !== "declined"))).toEqual(new Set(["ada"]));
    expect(new Set(all(text, /\bamount"?: "([\d.]+)"/g))).toEqual(new Set(["1105.10"]));
    expect(new Set(all(text, /\bbase_currency"?: "(\w+)"/g))).toEqual(new Set(["KES"]));
  });
});

it.each(BEFORE_SCENARIOS)(
  "%s avoids the words mishap, fault and deviation, and links to the glossary",
  (page) => {
    const prose = pageText(page).replace(/`[^`]*`|\]\([^)]*\)/g, "");
    expect(prose).not.toMatch(/\b(mishap|fault|deviation)s?\b/i);
    expect(pageText(page)).toContain("glossary.md)");
  },
);

it.each(PAGES.filter((page) => page !== "docs/supported.md"))(
  "%s does not mention how it is tested",
  (page) => {
    expect(pageText(page)).not.toMatch(
      /`test\/|\bnode (?:bench|scripts)\/|\.test\.ts\b|`-u`|\bmutants?\b|\bCPU\b|\bR\d+\.\d/,
    );
  },
);

it.each(PAGES)("%s installs no unpublished package from npm", (page) => {
  expect(pageText(page)).not.toMatch(/npm (?:install|i) [^\n`]*\bpayments-sandbox(?![-/])/);
});
