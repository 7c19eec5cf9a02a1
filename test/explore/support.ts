import type { ExploreFlowOptions } from "../../src/index.js";
import type { ShopKind } from "../corpus/faults.js";
import { startShop } from "../corpus/start-shop.js";
import { blocksOf } from "../docs/support/pages.js";
import { openSandbox } from "../support/api-client.js";
import { fileWith } from "../support/scenario-run.js";

/** The flow that docs/explore.md shows. */
export const FLOW = blocksOf("docs/explore.md").find(({ marker }) => marker === "flow")?.code ?? "";

/** A sandbox, and a shop of the corpus that calls it. */
export async function openCorpus(kind: ShopKind) {
  const sandbox = await openSandbox();
  const { url } = await sandbox.listen();
  const shop = await startShop(kind, { baseUrl: url, apiKey: sandbox.apiKey, patienceMs: 60_000 });
  return { sandbox, url, shop };
}

/** What is found of a shop of the corpus. */
export async function explored(kind: ShopKind, options: Partial<ExploreFlowOptions> = {}, flow = FLOW) {
  const { sandbox, shop } = await openCorpus(kind);
  const report = await sandbox.explore(fileWith(flow), { app: shop.url, depth: 1, ...options });
  const found = report.findings.map(
    ({ oracle, deviations }) =>
      `${oracle}: ${deviations.map(({ kind: what, at }) => `${what} ${at}`).join(" + ")}`,
  );
  return { sandbox, shop, report, found };
}
