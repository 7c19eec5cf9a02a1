import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { Page } from "playwright-core";

/** Half the size of `axe.source`, which every page would parse. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ON_COLOURS = ["color-contrast", "link-in-text-block"];

/** Returns accessibility violations found by axe, or only those about colours. */
export async function impairmentFaults(tab: Page, { coloursOnly = false } = {}): Promise<string[]> {
  if (!(await tab.evaluate(() => "axe" in window))) await tab.evaluate(AXE);
  return tab.evaluate(
    async ({ onColours, coloursOnly }) => {
      const { run } = (window as unknown as { axe: typeof axe }).axe;
      const rest = Object.fromEntries(onColours.map((rule) => [rule, { enabled: false }]));
      const results = [await run({ exclude: seenLooks() }, { runOnly: onColours })];
      if (!coloursOnly) results.push(await run({ rules: rest }));
      return results
        .flatMap(({ violations }) => violations)
        .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);

      /** Finds elements that look like an earlier one, to check each look once. */
      function seenLooks(): Element[] {
        const looks = new Set<string>();
        const seen: Element[] = [];
        const isNew = (element: Element, around: string): boolean => {
          if (!element.checkVisibility()) return false;
          const style = getComputedStyle(element);
          const ground = `${around}/${style.backgroundColor} ${style.backgroundImage} ${style.opacity}`;
          const font = `${style.fontSize} ${style.fontWeight} ${style.textDecorationLine}`;
          const look = `${element.tagName} ${style.color} ${font} ${ground}`;
          const isFirst = !looks.has(look);
          looks.add(look);
          const old = [...element.children].filter((child) => !isNew(child, ground));
          if (!isFirst && old.length === element.childElementCount) return false;
          seen.push(...old);
          return true;
        };
        isNew(document.body, "");
        return seen;
      }
    },
    { onColours: ON_COLOURS, coloursOnly },
  );
}

/** Returns the texts of buttons and links that a press at their middle would miss, because something covers them. */
export function findCoveredControls(): string[] {
  const controls = [...document.querySelectorAll<HTMLElement>("main :is(button, a.button)")];
  return controls.flatMap((control) => {
    if (!control.checkVisibility({ visibilityProperty: true })) return [];
    control.scrollIntoView({ block: "center" });
    const { left, top, width, height } = control.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    return control.contains(hit)
      ? []
      : `${control.textContent} is covered by ${hit?.textContent?.slice(0, 40)}`;
  });
}
