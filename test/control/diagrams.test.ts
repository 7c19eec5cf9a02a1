import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  CHARGE_STATUSES,
  deliveryStatusSchema,
  withdrawalStatusSchema,
} from "../../src/core/schema/common.js";
import { pageText } from "../docs/support/pages.js";
import { payin, payout, retry } from "../docs/support/sequence-diagrams.js";
import {
  chargeStates,
  deliveryStates,
  retryTable,
  withdrawalStates,
} from "../docs/support/state-diagrams.js";

const PAGE = "docs/diagrams.md";

it("docs/diagrams.md matches the tables and a sandbox's behaviour", async () => {
  const parts = {
    charge: chargeStates(),
    withdrawal: withdrawalStates(),
    delivery: deliveryStates(),
    schedule: retryTable(),
    payin: await payin(),
    payout: await payout(),
    retry: await retry(),
  };
  let page = pageText(PAGE);
  for (const [name, part] of Object.entries(parts)) {
    const place = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`);
    expect(page).toMatch(place);
    page = page.replace(place, (_all, begin: string, end: string) => `${begin}${part}\n${end}`);
  }
  await expect(page).toMatchFileSnapshot(fileURLToPath(new URL(`../../${PAGE}`, import.meta.url)));
});

it.each([
  ["charge", chargeStates(), CHARGE_STATUSES],
  ["withdrawal", withdrawalStates(), withdrawalStatusSchema.options],
  ["delivery", deliveryStates(), deliveryStatusSchema.options],
])("the diagram of a %s has exactly its statuses", (_name, drawn, statuses) => {
  const words = [...drawn.matchAll(/^ +(\S+) --> (\S+)/gm)].flatMap(([, from, to]) => [from!, to!]);
  expect(new Set(words.filter((word) => word !== "[*]"))).toEqual(new Set(statuses));
});
