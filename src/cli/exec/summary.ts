import type { Happened, Story } from "../../client/collect.js";
import { storyLines, storyTitle } from "../../client/story-text.js";
import { escaped } from "../../schema/xml.js";
import { appendToSummary, codeSpan, fenceFor } from "../step-summary.js";
import { commandText, type Plan, type Ran, type Under } from "./plan.js";

const MOST_STORIES = 50;
const LONGEST_STORY = 200;
const LONGEST_COMMAND = 200;

/**
 * On GitHub, what happened to the charges that are not in order goes to the step's summary: when the command
 * failed, for a suite that passes makes payments fail on purpose.
 */
export function appendSummary(
  { command, notice }: Plan,
  { code }: Ran,
  under: Under | undefined,
  collected: readonly Pick<Happened, "stories">[],
): void {
  if (code === 0) return;
  const stories = collected.flatMap(({ stories }) => stories.items.filter(({ is_in_order }) => !is_in_order));
  const total = collected.reduce((sum, { stories }) => sum + stories.not_in_order, 0);
  const how = under?.scenario == null ? "" : ` under ${codeSpan(under.scenario)}`;
  const heading = `### ${codeSpan(commandText(command).slice(0, LONGEST_COMMAND))} failed${how} (exit code ${code})`;
  appendToSummary((room) => summaryText(heading, stories, total, room), notice);
}

/** As many of the stories as fit. */
export function summaryText(heading: string, stories: readonly Story[], total: number, room: number): string {
  const blocks: string[] = [];
  const text = (): string => {
    const left = total - blocks.length;
    const tail =
      total === 0
        ? ["All charges are in order.", ""]
        : left > 0
          ? [
              `${left} more ${left === 1 ? "charge is" : "charges are"} not in order; see \`timelines.txt\` of the artifacts.`,
              "",
            ]
          : [];
    return ["", heading, "", ...blocks, ...tail, ""].join("\n");
  };
  for (const story of stories.slice(0, MOST_STORIES)) {
    blocks.push(storyBlock(story));
    if (Buffer.byteLength(text()) <= room) continue;
    blocks.pop();
    break;
  }
  return text();
}

function storyBlock(story: Story): string {
  const all = storyLines(story);
  const lines = all.slice(0, LONGEST_STORY);
  if (all.length > lines.length) lines.push(`  … ${all.length - lines.length} more`);
  const body = lines.join("\n");
  const fence = fenceFor(body);
  return [
    `<details><summary>${escaped(storyTitle(story))}</summary>`,
    "",
    `${fence}text`,
    body,
    fence,
    "",
    "</details>",
    "",
  ].join("\n");
}
