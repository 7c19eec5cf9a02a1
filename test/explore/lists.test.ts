// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them

import { expect, it } from "vitest";
import { type Answer, type CallService, foundIn, openApp } from "./apps.js";

const FLOW = `
name: import
reset:
  - app: POST /reset
steps:
  - repeat: 3
    as: number
    steps:
      - pay: { amount: "19.99", customer_email: "\${number}-\${run.id}@shop.test" }
  - app: POST /import
observe:
  - app: GET /lines
`;
const BY_JOB = `${FLOW.replace("  - app: POST /import\n", "  - app: GET /lines\n").replace("reset:", "$&\n  - app: POST /import")}tick:\n  - app: POST /import\n`;

interface Import {
  readonly pageSize: number;
  /** Counts a payment twice that is on two pages. */
  readonly countsTwice?: boolean;
  readonly readsOnePage?: boolean;
}

/** Imports all payments, newest first, up to the latest known one. */
const ledger =
  ({ pageSize, countsTwice = false, readsOnePage = false }: Import) =>
  (call: CallService): Answer => {
    const lines: string[] = [];
    let newest = "";
    let earlier = 0;
    let working: Promise<void> = Promise.resolve();
    const importAll = async () => {
      const found: string[] = [];
      for (let offset = 0; ; offset += pageSize) {
        const query = `status_filter=COMPLETED&limit=${pageSize}&offset=${offset}`;
        const { items } = (await call("GET", `payments/payins?${query}`)) as {
          items: { charge_id: string }[];
        };
        const known = items.findIndex(({ charge_id }) => charge_id === newest);
        found.push(...items.slice(0, known === -1 ? items.length : known).map(({ charge_id }) => charge_id));
        if (known !== -1 || readsOnePage || items.length < pageSize) break;
      }
      newest = found[0] ?? newest;
      lines.push(...(countsTwice ? found : new Set(found)));
    };
    return async (route) => {
      if (route === "GET /lines") return [200, { count: lines.length - earlier }];
      if (route === "POST /reset") earlier = lines.length;
      if (route !== "POST /import") return [200];
      working = working.catch(() => {}).then(importAll);
      return working.then(
        () => [200],
        () => [503],
      );
    };
  };

it.concurrent.each([
  ["a press", FLOW],
  ["a job", BY_JOB],
])("finds an import by %s that counts a payment twice", async (_, flow) => {
  const wrong = await openApp(ledger({ pageSize: 2, countsTwice: true }), null);
  const { found, report } = await foundIn(wrong, flow);
  expect(new Set(found.map((one) => one.replace(/#\d+$/, "")))).toEqual(
    new Set(["money: paid_between_pages listPayins"]),
  );
  expect(report.findings[0]?.message).toMatch(/^done more than once: body.count is \d+/);
  const right = await openApp(ledger({ pageSize: 2 }), null);
  expect((await foundIn(right, flow)).found).toEqual([]);
});

it.concurrent("finds a job that imports only sixty payments", async () => {
  const wrong = await openApp(ledger({ pageSize: 60, readsOnePage: true }), null);
  const flow = `${FLOW}tick:\n  - app: POST /import\n`;
  const { found } = await foundIn(wrong, flow, { only: "paid_between_pages at listPayins#1" });
  expect(found).toEqual([expect.stringContaining("paid_between_pages listPayins#1")]);
});
