// Writes the pages of docs/ that look things up from the tables and schemas of the source. With --check it writes nothing
// and names the pages that are out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as commandLine from "./docs/command-line.mjs";
import * as controlApi from "./docs/control-api.mjs";
import * as scenarioReference from "./docs/scenario-reference.mjs";
import * as supported from "./docs/supported.mjs";
import { withSource } from "./source.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const files = {
  ...controlApi.SOURCE,
  ...commandLine.SOURCE,
  ...scenarioReference.SOURCE,
  ...supported.SOURCE,
};
/** Page → its text. */
const pages = await withSource(root, files, async (source) => ({
  "docs/control-api.md": controlApi.controlApiPage(source),
  "docs/command-line.md": commandLine.commandLinePage(source),
  "docs/scenario-reference.md": scenarioReference.scenarioReferencePage(source),
  "docs/supported.md": supported.supportedPage(source, root),
}));

const changed = Object.entries(pages).filter(
  ([page, text]) => readFileSync(join(root, page), "utf8") !== text,
);
if (process.argv.includes("--check")) {
  for (const [page] of changed) process.stderr.write(`${page} is out of date: npm run docs\n`);
  if (changed.length > 0) process.exitCode = 1;
} else for (const [page, text] of changed) writeFileSync(join(root, page), text);
