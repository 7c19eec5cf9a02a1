import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/process-command.js";
import { INTERNAL, PAGES, pageText } from "./support/pages.js";

/** Returns the anchor that code hosts generate for a heading. */
function anchorsOf(text: string): string[] {
  return [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

const EXAMPLES = readdirSync(join(ROOT, "examples"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith("README.md") && !path.includes("node_modules"))
  .map((path) => join("examples", path));

const links = [...PAGES, ...INTERNAL, "CONTRIBUTING.md", ...EXAMPLES].flatMap((page) =>
  [...pageText(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(([, path, anchor]) => ({
    page,
    target: path === "" ? page : join(dirname(page), path!),
    anchor,
  })),
);

describe("links between the pages", () => {
  it.each(links)("$page links to an existing $target $anchor", ({ target, anchor }) => {
    expect(existsSync(join(ROOT, target))).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(pageText(target))).toContain(anchor);
  });

  it("links from the README lead to every page", () => {
    const linked = links.filter(({ page }) => page === "README.md").map(({ target }) => target);
    expect(linked).toEqual(expect.arrayContaining(PAGES.filter((page) => page !== "README.md")));
  });
});

describe("CONTRIBUTING.md", () => {
  const named = [
    ...pageText("CONTRIBUTING.md").matchAll(/`((?:src|test|fixtures|scenarios|bench|docs)\/[^`*]*)`/g),
  ];

  it.each(named.map(([, path]) => path!))("CONTRIBUTING.md names the existing %s", (path) => {
    expect(existsSync(join(ROOT, path))).toBe(true);
  });
});
