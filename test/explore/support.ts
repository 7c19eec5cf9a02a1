import type { RequestListener } from "node:http";
import { expect } from "vitest";
import type { ShopKind } from "../corpus/faults.js";
import { startShop } from "../corpus/start-shop.js";
import { openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { type FoundOptions, foundIn } from "./apps.js";

/** A flow of an app that takes the order's id from the customer, and has scheduled work. */
export const FLOW = `name: order
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - name: The customer orders
    app: POST /orders
    body: { order: "\${order}", email: "\${email}" }
    expect: { status: 201 }
  - advance: 10s
  - name: and has it
    app: GET /orders/\${order}
    expect: { body: { status: paid, delivered: 1 } }
observe:
  - app: GET /orders/\${order}
tick:
  - app: POST /tick
`;

export async function openCorpus(kind: ShopKind) {
  const sandbox = await openSandbox();
  const { url } = await sandbox.listen();
  const shop = await startShop(kind, { baseUrl: url, apiKey: sandbox.apiKey, patienceMs: 60_000 });
  return { sandbox, url, shop };
}

export async function explored(kind: ShopKind, options: FoundOptions = {}, flow = FLOW) {
  const { sandbox, shop } = await openCorpus(kind);
  return { sandbox, shop, ...(await foundIn({ sandbox, app: shop.url }, flow, options)) };
}

/** Runs the deviation that breaks a shop, such as `response_lost createWhitelabel#1`; returns the saved file. */
export async function exploredByOnly(kind: ShopKind, where: string) {
  const only = where.replace(" ", " at ");
  const { found, report, ...opened } = await explored(kind, { only, save: temporaryFolder() });
  expect(found, kind).toEqual([`money: ${where}`]);
  return { ...opened, file: report.findings[0]!.file! };
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
