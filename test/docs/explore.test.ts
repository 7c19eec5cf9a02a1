import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { exploreLines } from "../../src/cli/report/explore-text.js";
import { KINDS } from "../../src/explore/kinds.js";
import { explored } from "../explore/support.js";
import { temporaryFolder } from "../support/folders.js";
import { pageText } from "./support/pages.js";

const PAGE = "docs/explore.md";
/** In how many ways a shop that races reacts, its races decide. */
const BEHAVIOURS = "18 behaviours";

it("docs/explore.md has the kinds there are, and tells what is found of its shop", async () => {
  const folder = temporaryFolder();
  const { report } = await explored("races", { save: join(folder, "found") });
  const told = exploreLines(report, 110)
    .join("\n")
    .replaceAll(join(folder, "/"), "")
    .replace(/\d+ behaviours/, BEHAVIOURS);
  const kinds = Object.entries(KINDS).map(([kind, { says }]) => `| \`${kind}\` | ${says} |\n`);
  const page = pageText(PAGE)
    .replace(
      /(<!-- kinds -->\n)[\s\S]*?(<!-- \/kinds -->)/,
      `$1| kind | what happens |\n|---|---|\n${kinds.join("")}$2`,
    )
    .replace(/(<!-- report -->\n```text\n)[\s\S]*?```/, `$1${told}\n\`\`\``);
  await expect(page).toMatchFileSnapshot(fileURLToPath(new URL(`../../${PAGE}`, import.meta.url)));
}, 120_000);
