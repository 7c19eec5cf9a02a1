import { expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../src/library/index.js";
import type { Json, Lie } from "./client.js";
import { auditExport } from "./export.js";
import { AuditFailure, type Rule } from "./failure.js";
import { SimulationFailure, simulate } from "./simulate.js";

/** Changes the JSON of a response; the callback returns false when it changes nothing. */
function telling(where: RegExp, change: (json: Json, path: string) => unknown): Lie {
  return (method, path, text, status) => {
    if (!where.test(`${method} ${path}`) || status !== 200) return undefined;
    const json = JSON.parse(text);
    return change(json, path) === false ? undefined : { status, text: JSON.stringify(json) };
  };
}

/** Changes the first suitable item of a list. */
function listing(where: RegExp, isFit: (item: Json) => boolean, change: (item: Json) => unknown): Lie {
  return telling(where, (json) => {
    const item = json.items.find(isFit);
    if (item === undefined) return false;
    change(item);
  });
}

const refusal = JSON.stringify({ error: { code: "VALIDATION_ERROR", message: "No." } });

/** Replaces the status of a response that contains the text. */
function answering(where: RegExp, told: number, status: number, part = ""): Lie {
  return (method, path, text, isTold) =>
    where.test(`${method} ${path}`) && isTold === told && text.includes(part)
      ? { status, text: status === 200 ? "{}" : refusal }
      : undefined;
}

const aCentMore = (amount: string) => amount.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
const aSecondOn = (at: string, seconds = 1) => new Date(Date.parse(at) + seconds * 1_000).toISOString();

const charges = /^GET \/_sandbox\/charges\?/;
const events = /^GET \/_sandbox\/events/;
const deliveries = /^GET \/_sandbox\/deliveries\?/;
const balances = /\/accounts\/balances/;
const quotes = /^POST \/api\/v1\/payments\/quotes/;
const transitions = /^POST \/_sandbox\/charges\/[^/]+\/transition/;
const payouts = /^POST \/api\/v1\/payouts\/withdrawals/;
const isAny = () => true;
const isPriced = (one: Json) => one.fees !== null;
const statusOf = (status: string) => (one: Json) => one.status === status;
const isDropped = (one: Json) => one.status === "dropped" && one.attempts.length === 0;
const isRetried = (one: Json) => one.attempts.length > 1;
const isOver = (one: Json) => one.url !== null && one.attempts.length > 2 && one.status !== "pending";
const hasFailed = (one: Json) => one.url !== null && one.attempts.length > 0 && one.status === "pending";

/** False responses by the rule that detects them. */
const LIES: { readonly [Name in Rule]?: Readonly<Record<string, Lie>> } = {
  transition: {
    "a failed charge was paid after all": listing(charges, statusOf("FAILED"), (one) => {
      one.status_history.push({ status: "COMPLETED", at: one.updated_at });
      one.status = "COMPLETED";
    }),
    "a charge's status is not the last of its history": listing(charges, statusOf("PENDING"), (one) => {
      one.status = "PROCESSING";
    }),
  },
  charge: {
    "a legal change that was not made": listing(charges, statusOf("PENDING"), (one) => {
      one.status_history.push({ status: "FAILED", at: one.updated_at });
      one.status = "FAILED";
    }),
    "a charge is not there": telling(
      charges,
      (json) => json.items.length > 1 && json.items.pop() && json.total--,
    ),
  },
  price: {
    "a fee has a cent more": listing(charges, isPriced, ({ fees }) => {
      fees.total_fee = aCentMore(fees.total_fee);
    }),
    "the parts fit each other and not the rate": listing(charges, isPriced, (one) => {
      one.exchange_rate = "2";
    }),
    "a quote is dearer than its rates": telling(quotes, (json) => (json.amount = aCentMore(json.amount))),
  },
  quote: {
    "a quote lives longer": telling(quotes, (json) => (json.expires_at = aSecondOn(json.expires_at))),
    "a good quote is refused": answering(/^POST \/api\/v1\/payments\/whitelabel/, 200, 400),
    "an old quote is taken": answering(/\/whitelabel/, 400, 200, '"details":{"quote_id":"Quote expired'),
  },
  balance: {
    "the available balance has a cent more": telling(balances, (json) => {
      json.balances[0].available_balance = aCentMore(json.balances[0].available_balance);
    }),
    "a pending balance is omitted": telling(balances, (json) => {
      const held = json.balances.find((one: Json) => /[1-9]/.test(one.pending_balance));
      if (held === undefined) return false;
      held.pending_balance = held.pending_balance.replace(/\d/g, "0");
    }),
    "the total is in another currency": telling(balances, (json) => {
      json.total_balance_usd = aCentMore(json.total_balance_usd);
    }),
  },
  posting: {
    "a posting does not balance": telling(/^GET \/_sandbox\/state/, ({ collections }) => {
      const entry = collections.entries[0]?.[1];
      if (entry === undefined) return false;
      entry.postings[0].amount = aCentMore(entry.postings[0].amount);
    }),
    "an entry of the ledger is lost": telling(/^GET \/_sandbox\/state/, ({ collections }) => {
      return collections.entries.pop() !== undefined;
    }),
    "a charge's postings are lost": telling(/\/timeline$/, (json) => {
      const all = json.items.length;
      json.items = json.items.filter((item: Json) => item.kind !== "ledger");
      return json.items.length < all;
    }),
  },
  "one event each": {
    "an event comes twice": telling(events, (json) => {
      if (json.items.length === 0) return false;
      json.items.unshift(json.items[0]);
      json.total++;
    }),
    "an event is missing": telling(events, (json) => json.items.pop() !== undefined && json.total--),
  },
  event: {
    "two events of two charges have changed places": telling(events, ({ items }) => {
      const [last, before] = items;
      if (before === undefined || before.charge_id === last.charge_id) return false;
      items.splice(0, 2, before, last);
    }),
    "an event shows what was not read at that moment": listing(events, isAny, ({ payload: { data } }) => {
      data.updated_at = data.created_at.replace("2026", "2025");
    }),
    "an event is of another mode": listing(events, isAny, ({ payload }) => {
      payload.mode = payload.mode === "test" ? "live" : "test";
    }),
  },
  delivery: {
    "a delivery is not there": telling(deliveries, (json) => json.items.pop() !== undefined && json.total--),
    "a delivery has other bytes than its event": listing(deliveries, isAny, (one) => {
      one.body = one.body.replace('"type":', '"typ":');
    }),
  },
  ladder: {
    "a dropped delivery has arrived": listing(deliveries, isDropped, (one) => {
      one.status = "delivered";
    }),
    "a retry comes late": listing(deliveries, isOver, ({ attempts }) => {
      attempts[1].at = aSecondOn(attempts[1].at);
    }),
    "a delivery that failed has arrived": listing(deliveries, hasFailed, (one) => {
      one.status = "delivered";
    }),
  },
  "too early": {
    "a retry comes early": listing(deliveries, isRetried, ({ attempts }) => {
      attempts[1].at = attempts[0].at;
    }),
    "a charge was paid in the future": listing(charges, isAny, (one) => {
      one.updated_at = aSecondOn(one.updated_at, 10_000_000);
    }),
    "an advance fires what is due after it": telling(/^POST \/_sandbox\/clock\/advance/, (json) => {
      if (json.fired.length === 0) return false;
      json.fired.at(-1).at = aSecondOn(json.to);
    }),
  },
  time: {
    "an advance came further": telling(/\/clock\/advance/, (json) => (json.to = aSecondOn(json.to))),
    "the clock is fast": telling(/^GET \/_sandbox\/clock/, (json) => (json.now = aSecondOn(json.now))),
  },
  idempotency: {
    "a replay is another response": (() => {
      const told = new Set<string>();
      return telling(payouts, (json) => {
        if (told.has(json.withdrawal_id)) json.updated_at = aSecondOn(json.updated_at);
        else told.add(json.withdrawal_id);
      });
    })(),
  },
  withdrawal: {
    "a withdrawal has arrived that has not": listing(
      /^GET \/api\/v1\/payouts\/withdrawals\?limit=100/,
      isAny,
      (one) => (one.status = one.status === "COMPLETED" ? "FAILED" : "COMPLETED"),
    ),
  },
  ids: {
    "an id is given out again": (() => {
      let first: string | undefined;
      return telling(quotes, (json) => (json.quote_id = first ??= json.quote_id));
    })(),
  },
  list: {
    "a page of payins is short": telling(/\/payins\?limit=100/, (json) => json.items.pop() !== undefined),
  },
  fault: {
    "a fault was met more often than it was": listing(
      /^GET \/_sandbox\/faults/,
      isAny,
      (one) => one.applied++,
    ),
  },
  signature: {
    "a mailbox gives a signature that does not fit": listing(/\/mailboxes\/post\/take/, isAny, (one) => {
      one.headers["webhook-signature"] = "v1,AAAA";
    }),
  },
  answer: {
    "a legal transition is refused": answering(transitions, 200, 409),
    "an illegal transition is carried out": answering(transitions, 409, 200),
    "what is not there is paid out": answering(payouts, 400, 200, "INSUFFICIENT"),
  },
};

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

it.each(["given", "taken"])("detects an invalid export when it is %s", async (side) => {
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

const lies = Object.entries(LIES).flatMap(([rule, lies]) =>
  Object.entries(lies).map(([name, lie]) => [name, rule, lie] as const),
);
it.each(lies)("detects that %s, by the rule %s", async (_name, rule, lie) => {
  expect(await caught(lie)).toBe(rule);
});
