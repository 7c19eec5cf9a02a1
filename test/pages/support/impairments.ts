import axe from "axe-core";
import type { Page } from "playwright-core";

/** What stands in the way of people with impairments, by the rules of WCAG and good practice. */
export async function impairmentFaults(tab: Page): Promise<string[]> {
  await tab.addScriptTag({ content: axe.source });
  return tab.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}
