// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { type Answer, type CallService, foundIn, openApp, shopOf } from "./apps.js";
import { FLOW } from "./support.js";

const LIMIT = 300_000;
const QUEUE_MS = 20;
const QUEUED = FLOW.replace("{ status: 201 }", "{ status: 202 }").replace(
  "  - advance: 10s",
  "  - { wait_for: charge, match: { customer_email: '${email}' } }\n$&",
);

/** A shop that accepts orders and webhooks, and works on them one after the other in a queue; `drops` forgets what fails. */
const queuedShop =
  (drops: boolean) =>
  (call: CallService): Answer => {
    const shop = shopOf()(call);
    let queue = Promise.resolve();
    const later = (route: string, body: unknown) => {
      queue = queue.then(async () => {
        await new Promise((resolve) => setTimeout(resolve, QUEUE_MS));
        const charge = (body as { data?: { charge_id: string } }).data;
        // Webhooks only say that there is something to read.
        const work = async () => {
          if (charge === undefined) await shop(route, body);
          else await shop(route, { data: await call("GET", `payments/charges/${charge.charge_id}`) });
        };
        await work().catch(() => (drops ? undefined : work().catch(() => {})));
      });
    };
    return async (route, body) => {
      if (route.startsWith("GET") || route === "POST /tick") {
        await queue;
        return shop(route, body);
      }
      later(route, body);
      return [202];
    };
  };

it(
  "finds nothing of an app that accepts orders and webhooks and works in a queue: time waits until it is still",
  async () => {
    const { found, report } = await foundIn(await openApp(queuedShop(false)), QUEUED);
    expect(found).toEqual([]);
    expect(report.notes.filter((note) => !note.startsWith("manners"))).toEqual([]);
  },
  LIMIT,
);

it(
  "finds a queue that drops a job that fails, which the read of the next event would mask",
  async () => {
    const deaf = QUEUED.replace("POST /tick", "POST /nothing");
    const { found } = await foundIn(await openApp(queuedShop(true)), deaf);
    expect(found.some((one) => /: (answer_5xx|request_lost) getCharge#3$/.test(one))).toBe(true);
  },
  LIMIT,
);
