// Writes what tables and schemas of the source know into docs/: whole pages, and parts of others between two comments
// of a name. With --check it writes nothing and names the pages that are out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLinePage } from "./docs/command-line.mjs";
import { controlApiPage } from "./docs/control-api.mjs";
import { scenarioReferencePage } from "./docs/scenario-reference.mjs";
import { deviationList, scenarioTables } from "./docs/scenario-tables.mjs";
import {
  adviceList,
  apiTables,
  shippedDocument,
  statusWordTable,
  withFields,
} from "./docs/service-tables.mjs";
import { skillPage } from "./docs/skill.mjs";
import { rulesSentence, supportedPage } from "./docs/supported.mjs";
import { withSource } from "./source.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const written = (page) => readFileSync(join(root, page), "utf8");

/** A hand-written page with its parts, by the name in their comments. */
function withParts(page, parts) {
  let text = written(page);
  for (const [name, part] of Object.entries(parts)) {
    const place = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`);
    if (!place.test(text)) throw new Error(`${page}: there is no <!-- ${name} --> … <!-- /${name} -->`);
    text = text.replace(place, (_all, begin, end) => `${begin}${part}\n${end}`);
  }
  return text;
}

/** Page → its text. */
const pages = await withSource(root, { source: "scripts/docs/source.ts" }, async ({ source }) => ({
  "README.md": withParts("README.md", { rules: rulesSentence() }),
  "docs/SKILL.md": await skillPage(source),
  "docs/api.md": withFields(
    withParts("docs/api.md", {
      ...(await apiTables(source, written("docs/api.md"))),
      advice: adviceList(source),
    }),
    await shippedDocument(source),
  ),
  "docs/command-line.md": commandLinePage(source),
  "docs/control-api.md": controlApiPage(source),
  "docs/explore.md": withParts("docs/explore.md", { kinds: deviationList(source) }),
  "docs/reconcile.md": withParts("docs/reconcile.md", { statuses: statusWordTable(source) }),
  "docs/scenario-reference.md": scenarioReferencePage(source),
  "docs/scenarios.md": withParts("docs/scenarios.md", scenarioTables(root)),
  "docs/supported.md": supportedPage(source, root),
}));

const stale = Object.entries(pages).filter(([page, text]) => written(page) !== text);
if (process.argv.includes("--check")) {
  for (const [page] of stale) process.stderr.write(`${page} is out of date: npm run docs\n`);
  if (stale.length > 0) process.exitCode = 1;
} else for (const [page, text] of stale) writeFileSync(join(root, page), text);
