// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { checkoutShop, deliver, type Extra, explored, flowOf, type OnCharge } from "./checkout-shop.js";

const flowWith = (act: string) => `${flowOf("", "status: paid, delivered: 1")}meanwhile:
  - app: POST /orders/\${order}/${act}
`;

const WHENS = ["after POST /orders#1", "after close_page#1"];

/** A shop whose price can be edited; `isReadAgain` compares it with the payment when that arrives. */
const pricedShop = (isReadAgain: boolean) => {
  const edited = new Set<string>();
  const onCharge: OnCharge = (order, status) => {
    if (status === "COMPLETED" && /open|failed/.test(order.status)) {
      if (isReadAgain && edited.has(order.id)) order.status = "refused";
      else deliver(order);
    } else if (order.status === "open" && /FAILED|CANCELLED|EXPIRED/.test(status)) order.status = "failed";
  };
  const edit: Extra = async ({ id }) => [200, void edited.add(id)];
  return checkoutShop(onCharge, edit);
};

it.concurrent.each(WHENS)(
  "finds a price that is read again when the payment arrives, edited %s",
  async (when) => {
    const only = `meanwhile at POST /orders/\${order}/edit#1 ${when}`;
    const { report } = await explored(pricedShop(true), flowWith("edit"), { only });
    expect(report.findings).toMatchObject([
      { deviations: [{ kind: "meanwhile" }], seen: { runs: 2, of: 2 } },
    ]);
  },
);

it.concurrent("finds nothing with an edited price in a shop that keeps the price of an order", async () => {
  const { found, report } = await explored(pricedShop(false), flowWith("edit"));
  const tried = report.singles.filter(({ kind }) => kind === "meanwhile");
  expect([found, tried.map(({ at }) => at)]).toEqual([
    [],
    ["at the end", ...WHENS].map((when) => `POST /orders/\${order}/edit#1 ${when}`),
  ]);
});

it.concurrent.each(WHENS)("a shop may end an order that is cancelled %s as it means", async (when) => {
  const onCharge: OnCharge = (order, status) => {
    if (status === "COMPLETED" && order.status === "open") deliver(order);
    else if (status === "COMPLETED" && order.status === "cancelled") order.status = "credited";
  };
  const cancel: Extra = async (order) => {
    if (order.status !== "open") return [409];
    order.status = "cancelled";
    return [200];
  };
  const only = `meanwhile at POST /orders/\${order}/cancel#1 ${when}`;
  const { found } = await explored(checkoutShop(onCharge, cancel), flowWith("cancel"), { only });
  expect(found).toEqual([]);
});

it.concurrent("an unknown field in a step of others is refused with its place", async () => {
  const flow = `${flowWith("edit")}    bodi: 1\n`;
  await expect(explored(pricedShop(false), flow)).rejects.toThrow(/meanwhile\.0\.bodi: unknown field/);
});
