import type { ExploreReport } from "../../explore/report.js";
import { scheduleText } from "../../explore/schedule.js";
import { counted } from "../../schema/printable.js";
import { escaped } from "../../schema/xml.js";
import { plain } from "../paint.js";
import { codeSpan, fenceFor } from "../step-summary.js";
import { matrixMarkdown } from "./explore-matrix.js";
import { storyLines } from "./explore-story.js";
import { alike, titleOf } from "./explore-text.js";

const WIDTH = 120;

/** What came of exploring a flow, for the summary of a job: as many findings as there is room for. */
export function exploreMarkdown(
  { findings, singles, notes, passed, sentence }: ExploreReport,
  room: number,
): string {
  const groups = alike(findings).map((same) => {
    const [first] = same;
    const story = first!.story === undefined ? [] : storyLines(first!.story, WIDTH, plain);
    const ways = same.map(({ deviations, file }) => scheduleText(deviations) + (file ? ` (${file})` : ""));
    const body = [...ways, ...story].join("\n");
    const fence = fenceFor(body);
    const title = escaped(titleOf(first!));
    return [`<details><summary>${title}</summary>`, "", `${fence}text`, body, fence, "", "</details>", ""];
  });
  const head = ["", `### ${passed ? "✓" : findings.length > 0 ? "✗" : "○"} ${codeSpan(sentence)}`, ""];
  const tail = [...matrixMarkdown(singles), "", ...notes.map((note) => `- ${codeSpan(note)}`), ""];
  for (let count = groups.length; count > 0; count--) {
    const more = count < groups.length ? [counted(groups.length - count, "more finding"), ""] : [];
    const text = [...head, ...groups.slice(0, count).flat(), ...more, ...tail].join("\n");
    if (Buffer.byteLength(text) <= room) return text;
  }
  return [...head, ...tail].join("\n");
}
