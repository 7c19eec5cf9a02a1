import { appendFileSync, statSync } from "node:fs";
import { oneLine } from "../schema/printable.js";

/** A step's summary may have 1 MiB in all; what is over that is lost whole. */
const LIMIT_BYTES = 1024 * 1024;
/** There are others who write there. */
const SHARE_BYTES = 256 * 1024;

/** Adds what fits to the summary of the step, where GitHub has one. */
export function appendToSummary(textIn: (room: number) => string, tell: (text: string) => void): void {
  const file = process.env.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === "") return;
  try {
    const room = Math.min(SHARE_BYTES, LIMIT_BYTES - sizeOf(file));
    const text = textIn(room);
    if (Buffer.byteLength(text) <= room) appendFileSync(file, text);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    tell(`GITHUB_STEP_SUMMARY could not be written (${message})`);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Longer than any run of backticks in the text, so that nothing in it ends the block. */
export function fenceFor(text: string): string {
  return "`".repeat(Math.max(3, longestTicks(text) + 1));
}

function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/** A text as code within a line. */
export function codeSpan(text: string): string {
  const ticks = "`".repeat(longestTicks(text) + 1);
  const padding = ticks.length > 1 ? " " : "";
  return `${ticks}${padding}${oneLine(text)}${padding}${ticks}`;
}
