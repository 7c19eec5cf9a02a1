import { isDeepStrictEqual } from "node:util";
import type { Fault } from "../../core/files/documents.js";
import type { StartOptions } from "../../core/schema/option-table.js";
import type { Given } from "../../core/schema/scenario-file.js";
import type { LoadedScenario } from "./files.js";

/** What data of an earlier run has of its own. */
const OF_THE_DATA: readonly string[] = ["start_time", "seed"] satisfies (keyof Given)[];

/**
 * The worlds of scenario files taken together, for a sandbox that is started with the files: what the options say goes
 * before all, and a later file before an earlier one. Their fixtures are merged elsewhere.
 */
export function worldOf(files: readonly LoadedScenario[], options: StartOptions) {
  const given: Record<string, unknown> = {};
  const ignored: Fault[] = [];
  for (const file of files.toReversed()) {
    const { fixtures: _merged, ...wanted } = file.given;
    for (const [word, value] of Object.entries(wanted)) {
      const option = options[word as keyof typeof wanted];
      const said = option ?? given[word];
      if (isDeepStrictEqual(said, value)) continue;
      const ignore = (why: string) => ignored.push(file.givenAt(word, `is ignored: ${why}`));
      if (option !== undefined) ignore("the options of the sandbox say otherwise");
      else if (said !== undefined) ignore("a scenario file named after this one says otherwise");
      else if (options.data !== undefined && OF_THE_DATA.includes(word))
        ignore(`with --data, say it by --${word.replace("_", "-")}`);
      else given[word] = value;
    }
  }
  return { given: given as Omit<Given, "fixtures">, ignored };
}
