import { expect, it } from "vitest";
import type { ChargeStatus } from "../../src/core/schema/common.js";
import { CHARGE_STATUS_TABLE } from "../../src/core/schema/statuses.js";
import { pageText } from "./support/pages.js";

it("the cheat sheet lists the transitions of each status", () => {
  const [, table] = pageText("docs/cheat-sheet.md").split("| status | may become |\n|---|---|\n");
  const words = (cell: string) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, word]) => word!);
  const rows = [...table!.split("\n\n")[0]!.matchAll(/^\| (.*) \| (.*) \|$/gm)];
  const told = rows.flatMap(([, from, to]) =>
    words(from!).map((status) => {
      const { next } = CHARGE_STATUS_TABLE[status as ChargeStatus];
      if (!to!.startsWith("each later")) return [status, words(to!).sort(), [...next].sort()] as const;
      const ORDER = Object.keys(CHARGE_STATUS_TABLE);
      const later = ORDER.slice(ORDER.indexOf(status) + 1).filter((one) => !words(to!).includes(one));
      return [status, later.sort(), [...next].sort()] as const;
    }),
  );
  expect(told.map(([status]) => status).sort()).toEqual(Object.keys(CHARGE_STATUS_TABLE).sort());
  for (const [status, said, next] of told) expect([status, said]).toEqual([status, next]);
});
