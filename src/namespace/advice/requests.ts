import type { ChargeStatus } from "../../schema/common.js";
import { isWithoutPayment } from "../../schema/statuses.js";
import type { JournalEntry } from "../served-request.js";
import { type Habit, Recent, requestAt } from "./habit.js";
import { holdsCardNumber, isSecretName } from "./sensitive.js";

const CHECKOUTS: readonly (string | null)[] = ["createWhitelabel", "createCheckout"];
/** What a shop calls its order by. */
const ORDER = /^((order|invoice)([_-]?(id|no|number|ref|reference))?|(merchant[_-]?)?reference)$/i;
/** So many open checkouts of one order are named: a load test has one order for all. */
const MOST_OF_AN_ORDER = 4;
/** So often the same is no trial any more. */
const REPEATED = 5;
const MOST_OF_A_BODY = 2_000;
const MOST_NOTES = 3;

/** An order whose payment came to nothing may have another charge. */
function isLost(status: ChargeStatus | undefined): boolean {
  return status !== undefined && isWithoutPayment(status);
}

/** Whether it was done, as far as its sender can know: it was not refused. */
function isTaken({ status }: JournalEntry): boolean {
  return status === null || status < 400;
}

export const REQUESTS: readonly Habit[] = [
  {
    id: "withdrawal_without_key",
    advice: "Give each withdrawal an Idempotency-Key: when it is retried, the money is sent once.",
    why: "withdrawals were asked for without one",
    watch(notes) {
      const earlier = new Recent(() => ({ id: 0 }));
      return {
        onRequest(entry) {
          if (entry.operation !== "createWithdrawal" || entry.idempotencyKey !== null || !isTaken(entry))
            return;
          const same = earlier.of(entry.requestBody?.slice(0, MOST_OF_A_BODY) ?? "");
          notes.found(
            same.id === 0
              ? requestAt(entry)
              : `requests ${same.id} and ${entry.id} ask for the same, and both were done`,
          );
          same.id = entry.id;
        },
      };
    },
  },
  {
    id: "checkouts_of_one_order",
    advice: "Look for the order's open checkout before making another: the customer can pay both.",
    why: "an order has several checkouts that can be paid or are",
    watch(notes, scene) {
      const orders = new Recent(() => ({ charges: [] as string[] }));
      return {
        onRequest(entry, metadata) {
          if (!CHECKOUTS.includes(entry.operation) || !isTaken(entry)) return;
          for (const name of Object.keys(metadata)) {
            if (!ORDER.test(name)) continue;
            const id = entry.objectId;
            if (id === undefined) return;
            const value = metadata[name];
            const order = orders.of(`${scene.accountOf(entry.apiKey)} ${name} ${value}`);
            const charges: string[] = [];
            for (const one of order.charges) if (!isLost(scene.statusOf(one))) charges.push(one);
            if (charges.length === MOST_OF_AN_ORDER) charges.shift();
            charges.push(id);
            order.charges = charges;
            if (charges.length > 1) notes.found(() => `${name} ${value}: ${charges.join(", ")}`);
          }
        },
      };
    },
  },
  {
    id: "sensitive_metadata",
    advice: "Keep secrets and card data out of metadata: it is sent with every webhook.",
    why: "metadata held what must not be there",
    watch: (notes) => ({
      onRequest(entry, metadata) {
        for (const name of Object.keys(metadata))
          if (isSecretName(name) || holdsCardNumber(metadata[name]))
            notes.found(`metadata.${name} of ${requestAt(entry)}`);
      },
    }),
  },
  {
    id: "repeated_4xx",
    advice: "Do not retry a request that got a 4xx: the response will be the same.",
    why: "the same request was refused again and again",
    watch(notes) {
      const refused = new Recent(() => ({ times: 0 }), 200);
      return {
        onRequest(entry) {
          const { status, method, url, requestBody } = entry;
          if (status === null || status < 400 || status >= 500 || status === 429) return;
          const same = refused.of(`${status} ${method} ${url} ${requestBody?.slice(0, MOST_OF_A_BODY)}`);
          if (++same.times < REPEATED) return;
          const example = `${method} ${entry.path} got ${status} ${same.times} times, last for ${requestAt(entry)}`;
          notes[same.times === REPEATED ? "found" : "more"](example);
        },
      };
    },
  },
  {
    id: "rate_limited",
    advice: "Wait as long as Retry-After says; for tests, start the sandbox with --rate-limit off.",
    why: "requests were refused because there were too many",
    watch: (notes, { clock }) => ({
      onRequest(entry) {
        if (entry.status !== 429 || entry.fault !== null) return;
        notes.found(
          clock.runs
            ? requestAt(entry)
            : `${requestAt(entry)}; the sandbox's clock stands, so that what Retry-After tells is wall time, or over once the clock is put forward`,
        );
      },
    }),
  },
  {
    id: "tolerated",
    advice: "Send only what the call takes: the service silently ignores the rest.",
    why: "something was sent that the service does not look at",
    watch(notes) {
      const seen = new Set<string>();
      return {
        onRequest({ tolerated = [], operation }) {
          if (tolerated.length === 0) return;
          for (const note of tolerated) if (seen.size < MOST_NOTES) seen.add(`${operation} ${note}`);
          notes.found([...seen].join(" · "));
        },
      };
    },
  },
];
