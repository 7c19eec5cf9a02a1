import type { Page } from "playwright-core";
import { expect } from "vitest";
import { createSandbox } from "../../../src/library/index.js";
import { blocksOf, markedBlock } from "../../docs/support/pages.js";

type Body = (fixtures: { page: Page }) => Promise<void>;

/** Runs a documented Playwright test with other `test` and `expect` functions. */
export async function playwrightRecipe(docsPage: string, page: Page): Promise<void> {
  const { code } = blocksOf(docsPage).find(({ marker }) => marker?.startsWith("playwright: "))!;
  const script = `${markedBlock(docsPage, "file: sandbox.mjs").code}${code}`;
  const bodies: Body[] = [];
  const declare = new Function(
    "test",
    "expect",
    "createSandbox",
    script.replace(/^import .*$|^export /gm, ""),
  );
  declare((_title: string, body: Body) => bodies.push(body), expect, createSandbox);
  expect(bodies).toHaveLength(1);
  await bodies[0]!({ page });
}
