import { describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../src/index.js";
import type { Json, Lie } from "./client.js";
import { auditExport } from "./export.js";
import { AuditFailure, type Rule } from "./failure.js";
import { SimulationFailure, simulate } from "./simulate.js";

/** Changes the JSON of an answer; the callback answers false when there is nothing in it to lie about. */
function telling(where: RegExp, change: (json: Json, path: string) => unknown): Lie {
  return (method, path, text, status) => {
    if (!where.test(`${method} ${path}`) || status !== 200) return undefined;
    const json = JSON.parse(text);
    return change(json, path) === false ? undefined : { status, text: JSON.stringify(json) };
  };
}

/** Changes the first of a list's items that will do. */
function listing(where: RegExp, isFit: (item: Json) => boolean, change: (item: Json) => unknown): Lie {
  return telling(where, (json) => {
    const item = json.items.find(isFit);
    if (item === undefined) return false;
    change(item);
  });
}

const anyItem = () => true;

const aCentMore = (amount: string) => amount.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
const aSecondOn = (at: string, seconds = 1) => new Date(Date.parse(at) + seconds * 1_000).toISOString();

const charges = /^GET \/_sandbox\/charges\?/;
const events = /^GET \/_sandbox\/events/;
const deliveries = /^GET \/_sandbox\/deliveries\?/;
const statusOf = (status: string) => (one: Json) => one.status === status;

const LIES: readonly (readonly [string, Rule, Lie])[] = [
  [
    "a failed charge was paid after all",
    "transition",
    listing(charges, statusOf("FAILED"), (one) => {
      one.status_history.push({ status: "COMPLETED", at: one.updated_at });
      one.status = "COMPLETED";
    }),
  ],
  [
    "a charge's status is not the last of its history",
    "transition",
    listing(charges, statusOf("PENDING"), (one) => (one.status = "PROCESSING")),
  ],
  [
    "a legal change nobody made",
    "charge",
    listing(charges, statusOf("PENDING"), (one) => {
      one.status_history.push({ status: "FAILED", at: one.updated_at });
      one.status = "FAILED";
    }),
  ],
  [
    "a charge is not there",
    "charge",
    telling(charges, (json) => json.items.length > 1 && json.items.pop() && json.total--),
  ],
  [
    "a fee has a cent more",
    "price",
    listing(
      charges,
      (one) => one.fees !== null,
      (one) => (one.fees.total_fee = aCentMore(one.fees.total_fee)),
    ),
  ],
  [
    "the parts fit each other and not the rate",
    "price",
    listing(
      charges,
      (one) => one.fees !== null,
      (one) => (one.exchange_rate = "2"),
    ),
  ],
  [
    "a quote is dearer than its rates",
    "price",
    telling(/^POST \/api\/v1\/payments\/quotes/, (json) => (json.amount = aCentMore(json.amount))),
  ],
  [
    "a quote lives longer",
    "quote",
    telling(/^POST \/api\/v1\/payments\/quotes/, (json) => (json.expires_at = aSecondOn(json.expires_at))),
  ],
  [
    "the available balance has a cent more",
    "balance",
    telling(/\/accounts\/balances/, (json) => {
      json.balances[0].available_balance = aCentMore(json.balances[0].available_balance);
    }),
  ],
  [
    "what is pending is not told",
    "balance",
    telling(/\/accounts\/balances/, (json) => {
      const held = json.balances.find((one: Json) => /[1-9]/.test(one.pending_balance));
      if (held === undefined) return false;
      held.pending_balance = held.pending_balance.replace(/\d/g, "0");
    }),
  ],
  [
    "the total is in another currency",
    "balance",
    telling(/\/accounts\/balances/, (json) => (json.total_balance_usd = aCentMore(json.total_balance_usd))),
  ],
  [
    "a posting does not balance",
    "posting",
    telling(/^GET \/_sandbox\/state/, (json) => {
      const entry = json.collections.entries[0]?.[1];
      if (entry === undefined) return false;
      entry.postings[0].amount = aCentMore(entry.postings[0].amount);
    }),
  ],
  [
    "an entry of the ledger is lost",
    "posting",
    telling(/^GET \/_sandbox\/state/, (json) => json.collections.entries.pop() !== undefined),
  ],
  [
    "a charge's postings are lost",
    "posting",
    telling(/\/timeline$/, (json) => {
      const all = json.items.length;
      json.items = json.items.filter((item: Json) => item.kind !== "ledger");
      return json.items.length < all;
    }),
  ],
  [
    "an event comes twice",
    "one event each",
    telling(events, (json) => {
      if (json.items.length === 0) return false;
      json.items.unshift(json.items[0]);
      json.total++;
    }),
  ],
  [
    "an event is missing",
    "one event each",
    telling(events, (json) => json.items.pop() !== undefined && json.total--),
  ],
  [
    "two events of two charges have changed places",
    "event",
    telling(events, (json) => {
      const [last, before] = json.items;
      if (before === undefined || before.charge_id === last.charge_id) return false;
      json.items.splice(0, 2, before, last);
    }),
  ],
  [
    "an event shows what was not read at that moment",
    "event",
    listing(
      events,
      anyItem,
      (one) => (one.payload.data.updated_at = one.payload.data.created_at.replace("2026", "2025")),
    ),
  ],
  [
    "an event is of another mode",
    "event",
    listing(events, anyItem, (one) => (one.payload.mode = one.payload.mode === "test" ? "live" : "test")),
  ],
  [
    "a delivery is not there",
    "delivery",
    telling(deliveries, (json) => json.items.pop() !== undefined && json.total--),
  ],
  [
    "a delivery has other bytes than its event",
    "delivery",
    listing(deliveries, anyItem, (one) => (one.body = one.body.replace('"type":', '"typ":'))),
  ],
  [
    "a dropped delivery has arrived",
    "ladder",
    listing(
      deliveries,
      (one) => one.status === "dropped" && one.attempts.length === 0,
      (one) => (one.status = "delivered"),
    ),
  ],
  [
    "a retry comes late",
    "ladder",
    listing(
      deliveries,
      (one) => one.url !== null && one.attempts.length > 2 && one.status !== "pending",
      (one) => (one.attempts[1].at = aSecondOn(one.attempts[1].at)),
    ),
  ],
  [
    "a delivery that failed has arrived",
    "ladder",
    listing(
      deliveries,
      (one) => one.status === "pending" && one.url !== null && one.attempts.length > 0,
      (one) => (one.status = "delivered"),
    ),
  ],
  [
    "a retry comes early",
    "too early",
    listing(
      deliveries,
      (one) => one.attempts.length > 1,
      (one) => (one.attempts[1].at = one.attempts[0].at),
    ),
  ],
  [
    "a charge was paid in the future",
    "too early",
    listing(charges, anyItem, (one) => (one.updated_at = aSecondOn(one.updated_at, 10_000_000))),
  ],
  [
    "an advance fires what is due after it",
    "too early",
    telling(/^POST \/_sandbox\/clock\/advance/, (json) => {
      if (json.fired.length === 0) return false;
      json.fired.at(-1).at = aSecondOn(json.to);
    }),
  ],
  ["an advance came further", "time", telling(/\/clock\/advance/, (json) => (json.to = aSecondOn(json.to)))],
  [
    "the clock is fast",
    "time",
    telling(/^GET \/_sandbox\/clock/, (json) => (json.now = aSecondOn(json.now))),
  ],
  [
    "a replay is another answer",
    "idempotency",
    (() => {
      const told = new Set<string>();
      return telling(/^POST \/api\/v1\/payouts\/withdrawals/, (json) => {
        if (!told.has(json.withdrawal_id)) {
          told.add(json.withdrawal_id);
          return false;
        }
        json.updated_at = aSecondOn(json.updated_at);
      });
    })(),
  ],
  [
    "a withdrawal has arrived that has not",
    "withdrawal",
    listing(
      /^GET \/api\/v1\/payouts\/withdrawals\?limit=100/,
      anyItem,
      (one) => (one.status = one.status === "COMPLETED" ? "FAILED" : "COMPLETED"),
    ),
  ],
  [
    "an id is given out again",
    "ids",
    (() => {
      let first: string | undefined;
      return telling(/^POST \/api\/v1\/payments\/quotes/, (json) => {
        first ??= json.quote_id;
        json.quote_id = first;
      });
    })(),
  ],
  [
    "a page of payins is short",
    "list",
    telling(/\/payins\?limit=100/, (json) => json.items.pop() !== undefined),
  ],
  [
    "a fault was met more often than it was",
    "fault",
    listing(/^GET \/_sandbox\/faults/, anyItem, (one) => one.applied++),
  ],
  [
    "a mailbox gives a signature that does not fit",
    "signature",
    listing(/\/mailboxes\/post\/take/, anyItem, (one) => (one.headers["webhook-signature"] = "v1,AAAA")),
  ],
];

const refusal = JSON.stringify({ error: { code: "VALIDATION_ERROR", message: "No." } });

/** A refusal where there was work, or the other way round. */
function answering(
  where: RegExp,
  isTrue: (status: number, text: string) => boolean,
  status: number,
  said: string,
): Lie {
  return (method, path, text, told) =>
    where.test(`${method} ${path}`) && isTrue(told, text) ? { status, text: said } : undefined;
}

const WRONG_ANSWERS: readonly (readonly [string, Rule, Lie])[] = [
  [
    "a good quote is refused",
    "quote",
    answering(/^POST \/api\/v1\/payments\/whitelabel/, (status) => status === 200, 400, refusal),
  ],
  [
    "an old quote is taken",
    "quote",
    answering(
      /\/whitelabel/,
      (status, text) => status === 400 && text.includes('"details":{"quote_id":"Quote expired'),
      200,
      "{}",
    ),
  ],
  [
    "a legal transition is refused",
    "answer",
    answering(/^POST \/_sandbox\/charges\/[^/]+\/transition/, (status) => status === 200, 409, refusal),
  ],
  [
    "an illegal transition is carried out",
    "answer",
    answering(/^POST \/_sandbox\/charges\/[^/]+\/transition/, (status) => status === 409, 200, "{}"),
  ],
  [
    "what is not there is paid out",
    "answer",
    answering(
      /^POST \/api\/v1\/payouts\/withdrawals/,
      (_status, text) => text.includes("INSUFFICIENT"),
      200,
      "{}",
    ),
  ],
];

async function caught(lie: Lie): Promise<Rule | undefined> {
  for (let seed = 0; seed < 12; seed++) {
    try {
      await simulate(`lie-${seed}`, 60, lie);
    } catch (error) {
      if (error instanceof SimulationFailure && error.cause instanceof AuditFailure) {
        expect(error.message).toContain(`PAYMENTS_SANDBOX_SIMULATION_SEED=lie-${seed}`);
        expect(error.message).toMatch(/The calls:\n(.*\n)*(GET|POST|PUT|PATCH|DELETE) \//);
        return error.cause.rule;
      }
      throw error;
    }
  }
  return undefined;
}

describe("the auditor catches a lie", () => {
  it.each(["given", "taken"])("of an export, as it is %s: export", async (side) => {
    await using sandbox = await createSandbox();
    await using elsewhere = await createSandbox({ clock: "manual" });
    const lying = (liar: Sandbox, lie: (state: Json) => unknown) => ({
      fetch: (request: Request) => liar.fetch(request),
      snapshot: () => {
        const state = liar.snapshot();
        lie(state);
        return state;
      },
    });
    const audit =
      side === "given"
        ? auditExport(
            lying(sandbox, (state) => (state.collections.scenarios[0][1].activated = "now")),
            elsewhere,
          )
        : auditExport(
            sandbox,
            lying(elsewhere, (state) => state.collections.scenarios.pop()),
          );
    await expect(audit).rejects.toMatchObject({ rule: "export" });
  });

  it.each(LIES)("%s: %s", async (_name, rule, lie) => {
    expect(await caught(lie)).toBe(rule);
  });

  it.each(WRONG_ANSWERS)("%s: %s", async (_name, rule, lie) => {
    expect(await caught(lie)).toBe(rule);
  });
});
