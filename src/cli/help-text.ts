import { PROGRAM } from "../core/reports/payment-text.js";
import { toPrintableLine } from "../core/schema/text-format.js";
import { terminalWidth } from "./terminal.js";
import { wrap } from "./text-layout.js";

export function helpText(examples: string | readonly string[], notes: readonly string[] = []): () => string {
  const all = typeof examples === "string" ? [examples] : examples;
  return () => {
    const width = terminalWidth();
    return [
      "",
      ...notes.flatMap((note) =>
        wrap(note, 2, width).map((line, place) => (place === 0 ? line.slice(2) : line)),
      ),
      ...(notes.length === 0 ? [] : [""]),
      all.length === 1 ? "Example:" : "Examples:",
      ...all.flatMap((example) => breakCommand(example, width)),
    ].join("\n");
  };
}

/** Breaks a command over several lines of a shell if it does not fit on one. */
function breakCommand(example: string, width: number): string[] {
  const lines: string[] = [];
  let line = " ";
  // Breaks neither between an option and its value nor within quotes.
  for (const word of example.split(/ (?=--|')/)) {
    if (line.trim() !== "" && line.length + 1 + word.length + 2 > width) {
      lines.push(`${line} \\`);
      line = "     ";
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

/** A command to copy. It names the sandbox as the flags do; without `url`, it calls the default port. */
export function commandFor(
  words: string,
  { url, namespace, controlToken }: Partial<Record<"url" | "namespace" | "controlToken", string | undefined>>,
): string {
  return [
    `${PROGRAM} ${words}`,
    ...(url === undefined ? [] : [`--url ${url}`]),
    ...(namespace === undefined ? [] : [`--namespace ${namespace}`]),
    ...(controlToken === undefined ? [] : [`--control-token ${quoteForShell(controlToken)}`]),
  ].join(" ");
}

export function quoteForShell(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

export function shellCommand(words: readonly string[]): string {
  const quoted = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoteForShell(word)));
  return toPrintableLine(`${PROGRAM} ${quoted.join(" ")}`);
}
