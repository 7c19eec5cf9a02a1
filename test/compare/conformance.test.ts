// biome-ignore-all lint/suspicious/noExplicitAny: a report has no type here.
import { expect, it } from "vitest";
import { listShippedFlows } from "../../src/core/files/package.js";
import { toYaml } from "../../src/core/schema/write-yaml.js";
import { mergeRepairs } from "../../src/tools/compare/repairs.js";
import { documented } from "../support/documented.js";
import { folderWith } from "../support/folders.js";
import { run } from "../support/process-command.js";
import { compareWith, startServices } from "./support/compared.js";

const REPAIRED = ["code_401", "event_names", "fee_number", "no_metadata_in_hook", "no_ms", "url_renamed"];

it("with the repairs of six services every flow passes but those that look at what was repaired", async () => {
  documented.isChecked = false;
  const services = await startServices(REPAIRED);
  const repairs = await Promise.all(
    REPAIRED.map(async (name) => (await compareWith(services[name]!, { repair: true })).repair),
  );
  const { config } = mergeRepairs(repairs);
  const cwd = folderWith({ "repaired.yaml": toYaml(config) });
  const flows = listShippedFlows().map((file) => /flow_(\w+)\.yaml$/.exec(file)![1]!);
  const { stdout } = await run(["run", ...flows, "-c", "repaired.yaml", "--json"], { cwd });
  const failed = (JSON.parse(stdout).files as any[]).filter(({ outcome }) => outcome !== "passed");
  expect(failed.map(({ name }) => name)).toEqual(["flow_bank_transfer", "flow_card", "flow_hosted_paid"]);
  expect(JSON.stringify(failed)).toContain("total_fee");
});
