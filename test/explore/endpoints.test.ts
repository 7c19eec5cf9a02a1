import { expect, it } from "vitest";
import { type Answer, type CallService, foundIn, openApp, shopOf } from "./apps.js";
import { FLOW } from "./support.js";

/** A shop with a second endpoint that only notes what it has seen: in the table of the first, or in its own. */
const shopWith =
  (isShared: boolean) =>
  (call: CallService): Answer => {
    const shop = shopOf()(call);
    const seen = { orders: new Set<string>(), mails: new Set<string>() };
    return async (route, body) => {
      // Its job would mend what a webhook did not do.
      if (route === "POST /tick" && isShared) return [200];
      if (route === "POST /mails") return [200, void (isShared ? seen.orders : seen.mails).add(body.id)];
      if (route !== "POST /webhooks") return shop(route, body);
      if (seen.orders.has(body.id)) return [200];
      seen.orders.add(body.id);
      return shop(route, body);
    };
  };

async function openWithTwo(isShared: boolean) {
  const opened = await openApp(shopWith(isShared));
  await opened.sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: `${opened.app}/mails` });
  return opened;
}

it.concurrent("finds two endpoints that share a table of seen events, when one webhook is late", async () => {
  const only = "webhook_late at charge.completed#1 to 1";
  const { report } = await foundIn(await openWithTwo(true), FLOW, { only });
  const message = expect.stringContaining("paid, but not marked as paid by the app");
  expect(report.findings).toMatchObject([{ oracle: "money", message }]);
});

it.concurrent("finds nothing at either of two endpoints with tables of their own", async () => {
  const { found, report } = await foundIn(await openWithTwo(false), FLOW);
  expect(found).toEqual([]);
  const tried = report.singles.filter(({ at }) => at.startsWith("charge.completed#1 to "));
  expect(tried.map(({ kind, at }) => `${kind} ${at}`)).toEqual([
    "webhook_late charge.completed#1 to 1",
    "webhook_twice charge.completed#1 to 1",
    "webhook_response_lost charge.completed#1 to 1",
    "webhook_late charge.completed#1 to 2",
    "webhook_twice charge.completed#1 to 2",
    "webhook_response_lost charge.completed#1 to 2",
  ]);
});
