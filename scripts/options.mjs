import { basename } from "node:path";
import { parseArgs } from "node:util";

/**
 * Reads the options of a program, each by its default: undefined for a text without one, false for a flag, [] for several
 * texts. Ends the program with one line for a wrong option.
 */
export function readOptions(defaults) {
  const options = Object.entries(defaults).map(([name, value]) => {
    const type = typeof value === "boolean" ? "boolean" : "string";
    return [name, { type, multiple: Array.isArray(value), default: value }];
  });
  try {
    return parseArgs({ options: Object.fromEntries(options) }).values;
  } catch ({ message }) {
    console.error(`${basename(process.argv[1], ".mjs")}: ${message}`);
    process.exit(2);
  }
}
