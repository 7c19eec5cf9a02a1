import { existsSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import type { ExploreFlowOptions } from "../../src/library/index.js";
import type { ShopKind } from "../corpus/faults.js";
import { startShop } from "../corpus/start-shop.js";
import { blocksOf } from "../docs/support/pages.js";
import { openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { foundIn } from "./apps.js";

export const FLOW = blocksOf("docs/explore.md").find(({ marker }) => marker === "flow")?.code ?? "";

export async function openCorpus(kind: ShopKind) {
  const sandbox = await openSandbox();
  const { url } = await sandbox.listen();
  const shop = await startShop(kind, { baseUrl: url, apiKey: sandbox.apiKey, patienceMs: 60_000 });
  return { sandbox, url, shop };
}

export async function explored(kind: ShopKind, options: Partial<ExploreFlowOptions> = {}, flow = FLOW) {
  const { sandbox, shop } = await openCorpus(kind);
  return { sandbox, shop, ...(await foundIn({ sandbox, app: shop.url }, flow, options)) };
}

/** Explores until a deviation is found. */
export async function exploredUntil(kind: ShopKind, where: string, flow = FLOW) {
  const save = temporaryFolder();
  const file = join(save, `order.${where.replace(" ", ".").replace("#", "-")}.yaml`);
  const stop = new AbortController();
  const onRun = () => void (existsSync(file) && stop.abort());
  return { file, ...(await explored(kind, { save, signal: stop.signal, onRun }, flow)) };
}

/** A flow of an app that can only be submitted twice. */
export const PRESSES = `
name: order
steps:
  - app: POST /orders/\${run.id}
observe:
  - app: GET /orders/\${run.id}
`;

export function pressedApp(onPress: (presses: number) => void = () => {}): RequestListener {
  const delivered = new Map<string, number>();
  let presses = 0;
  return ({ method, url = "" }, response) => {
    const count = (delivered.get(url) ?? 0) + (method === "POST" ? 1 : 0);
    delivered.set(url, count);
    if (method === "POST") onPress(++presses);
    response.end(JSON.stringify({ delivered: count }));
  };
}

/** Omits a note that also applies to the correct shop. */
export function withoutForeign(notes: readonly string[]): readonly string[] {
  return notes.filter((note) => !note.startsWith("foreign_charge at "));
}
