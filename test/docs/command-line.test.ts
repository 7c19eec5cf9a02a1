import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { OPTION_ROWS } from "../../src/cli/options.js";
import { startOptionsSchema } from "../../src/core/schema/option-table.js";
import {
  commandTable,
  otherOptionsTable,
  sharedTable,
  speaking,
  startTable,
} from "./support/command-tables.js";
import { pageText } from "./support/pages.js";
import { idleProgram } from "./support/program.js";

const PAGE = "docs/command-line.md";
const program = idleProgram();

describe(PAGE, () => {
  it("has every command and option, as the program describes them", async () => {
    const tables = {
      commands: commandTable(program),
      start: startTable(),
      others: otherOptionsTable(program),
      shared: sharedTable(program),
    };
    let page = pageText(PAGE);
    for (const [name, table] of Object.entries(tables)) {
      const place = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`);
      expect(page).toMatch(place);
      page = page.replace(place, (_all, begin: string, end: string) => `${begin}${table}\n${end}`);
    }
    await expect(page).toMatchFileSnapshot(fileURLToPath(new URL(`../../${PAGE}`, import.meta.url)));
  });

  it("has every key that only a config file has", () => {
    const [, section] = pageText(PAGE).split("## In the config file only\n");
    const told = [...section!.split("\n## ")[0]!.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key!);
    const flags = new Set<string>(OPTION_ROWS.map(({ name }) => name));
    const keys = Object.keys(startOptionsSchema.shape).filter((key) => !flags.has(key));
    expect(told.sort()).toEqual(keys.sort());
  });

  it("says truly that the commands for a running sandbox share their options", () => {
    const shared = ["--url", "--namespace", "--control-token", "--json"];
    expect(speaking(program)).toContain("status");
    for (const name of speaking(program).filter((one) => one !== "run")) {
      const { options } = program.commands.find((command) => command.name() === name)!;
      expect(
        options.slice(-4).map(({ long }) => long),
        name,
      ).toEqual(shared);
    }
  });
});
