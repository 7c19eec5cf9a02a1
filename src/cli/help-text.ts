import { columns } from "./terminal.js";
import { wrapped } from "./wrapped.js";

/** What a command's help ends with, as wide as the terminal: notes, and examples to be copied. */
export function helpText(examples: string | readonly string[], notes: readonly string[] = []): () => string {
  const all = typeof examples === "string" ? [examples] : examples;
  return () => {
    const width = columns();
    return [
      "",
      ...notes.flatMap((note) =>
        wrapped(note, 2, width).map((line, place) => (place === 0 ? line.slice(2) : line)),
      ),
      ...(notes.length === 0 ? [] : [""]),
      all.length === 1 ? "Example:" : "Examples:",
      ...all.flatMap((example) => continued(example, width)),
    ].join("\n");
  };
}

/** A command as a shell takes it over several lines, where it does not fit on one. */
function continued(example: string, width: number): string[] {
  const lines: string[] = [];
  let line = " ";
  // No option is parted from its value, and nothing from within quotes.
  for (const word of example.split(/ (?=--|')/)) {
    if (line.trim() !== "" && line.length + 1 + word.length + 2 > width) {
      lines.push(`${line} \\`);
      line = "     ";
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
