import type { Random } from "../simulation/random.js";
import { START } from "../support/api-client.js";
import type { Answer } from "../support/caller.js";
import { type Collections, differences, isRestored, type Kept, type Seen } from "./kept.js";

/** A call that changes state, and a check that it took effect. */
export interface Operation {
  readonly line: string;
  readonly body?: unknown;
  /** Number of concurrent calls. */
  readonly times?: number;
  /** True if the call led to the new state. */
  happened(now: Seen, answer: Answer | undefined, answers: readonly Answer[]): boolean;
  /** Snapshots after the call; `isSure` is true after a response. */
  snapshots?(isSure: boolean): Kept["snapshots"];
}

export interface Place {
  readonly name: string;
  readonly kept: Kept;
  /** An earlier export of this or another namespace. */
  readonly exported: { readonly state: unknown; readonly collections: Collections } | undefined;
}

const ORDER = { pricing: { base_currency: "USD", amount: "10.00" }, payment_method: "card" };
const SNAPSHOTS = ["one", "two", "three"];

type Maker = (place: Place, random: Random) => Operation | undefined;

const WEIGHTS = {
  quote: 2,
  burst: 8,
  checkout: 8,
  pay: 4,
  transition: 4,
  advance: 3,
  scenario: 1,
  save: 4,
  restore: 2,
  forget: 2,
  reset: 1,
  put: 2,
  delete: 3,
} as const;

/** Returns the next operation of a namespace, or undefined if there is none. */
export function nextOperation(place: Place, random: Random): Operation | undefined {
  if (!place.kept.seen.isThere) return MAKERS.make(place, random);
  return MAKERS[random.weighed(WEIGHTS)](place, random);
}

const MAKERS: Readonly<Record<keyof typeof WEIGHTS | "make", Maker>> = {
  make: ({ name }, random) => {
    const apiKey = random.chance(0.5) ? `sk_test_own_${name}_${random.int(0, 9)}` : `sk_test_ns_${name}`;
    const body = { api_key: apiKey, clock: "manual", start_time: START, webhooks: [{ mailbox: "box" }] };
    const happened = (now: Seen) =>
      now.isThere && now.apiKey === apiKey && count(now, "charges") === 0 && count(now, "endpoints") === 1;
    return { line: `PUT /_sandbox/namespaces/${name}`, body, happened };
  },

  delete: ({ name }) =>
    name === "default"
      ? undefined
      : {
          line: `DELETE /_sandbox/namespaces/${name}`,
          happened: (now) => !now.isThere,
          snapshots: () => new Map(),
        },

  quote: ({ kept }) => ({
    line: "POST /api/v1/payments/quotes",
    body: ORDER,
    happened: (now, answer) => isOneMore("quotes", kept.seen, now, answer?.json.quote_id),
  }),

  burst: ({ kept }, random) => {
    const times = random.int(2, 16);
    return {
      line: "POST /api/v1/payments/quotes",
      body: ORDER,
      times,
      happened: (now, _, answers) => {
        const ids = answers.map(({ json }) => json.quote_id);
        const added = addedTo("quotes", kept.seen, now);
        const isEnough = answers.length === times ? added.length === times : added.length <= times;
        return (
          isEnough && ids.every((id) => added.includes(id)) && areOthersAlike("quotes", kept.seen, now, added)
        );
      },
    };
  },

  checkout: ({ kept }) => ({
    line: "POST /api/v1/payments/checkouts",
    body: { ...ORDER, customer_email: "ada@shop.test" },
    happened: (now, answer) => isOneMore("charges", kept.seen, now, answer?.json.charge_id),
  }),

  pay: ({ kept }, random) => {
    const charge = openCharge(kept, random);
    return (
      charge && {
        line: `POST /_sandbox/checkouts/${charge.checkout_id}/pay`,
        body: { payment_method: "card" },
        happened: changing(charge, kept),
      }
    );
  },

  transition: ({ kept }, random) => {
    const charge = openCharge(kept, random);
    const to = random.pick(["FAILED", "COMPLETED", "EXPIRED"]);
    return (
      charge && {
        line: `POST /_sandbox/charges/${charge.charge_id}/transition`,
        body: { to },
        happened: changing(charge, kept),
      }
    );
  },

  advance: ({ kept }, random) => {
    const [from, ms] = [clockOf(kept.seen), random.pick([500, 3_000, 60_000, 7_200_000])];
    const happened = (now: Seen, answer: Answer | undefined) =>
      // An interrupted advance stops somewhere in between.
      answer === undefined ? between(clockOf(now), from, from + ms) : clockOf(now) === from + ms;
    return { line: "POST /_sandbox/clock/advance", body: { by: `${ms}ms` }, happened };
  },

  scenario: (_, random) => {
    const name = `mine-${random.int(1, 9)}`;
    const happened = (now: Seen) => keysOf(now, "scenarios").has(name);
    return { line: `PUT /_sandbox/scenarios/${name}`, body: { name, charges: [] }, happened };
  },

  save: ({ kept }, random) => {
    const name = random.pick(SNAPSHOTS);
    const { collections } = kept.seen;
    const before = kept.snapshots.get(name) ?? [];
    return {
      line: "POST /_sandbox/snapshots",
      body: { name },
      happened: (now) => now.snapshots.includes(name) && isUntouched(kept.seen, now),
      snapshots: (isSure) =>
        new Map([...kept.snapshots, [name, isSure ? [collections] : [...before, collections]]]),
    };
  },

  restore: ({ kept }, random) => {
    if (kept.snapshots.size === 0) return undefined;
    const name = random.pick([...kept.snapshots.keys()]);
    const happened = (now: Seen) => kept.snapshots.get(name)!.some((held) => isRestored(now, held));
    return { line: `POST /_sandbox/snapshots/${name}/restore`, happened };
  },

  forget: ({ kept }, random) => {
    if (kept.snapshots.size === 0) return undefined;
    const name = random.pick([...kept.snapshots.keys()]);
    return {
      line: `DELETE /_sandbox/snapshots/${name}`,
      happened: (now) => !now.snapshots.includes(name) && isUntouched(kept.seen, now),
      snapshots: () => new Map([...kept.snapshots].filter(([one]) => one !== name)),
    };
  },

  reset: ({ kept }, random) => {
    const body = random.chance(0.5) ? {} : { ids: "repeat" };
    const happened = (now: Seen) =>
      now.isThere &&
      ["charges", "quotes", "events", "deliveries", "tasks"].every((name) => count(now, name) === 0) &&
      count(now, "endpoints") === count(kept.seen, "endpoints");
    return { line: "POST /_sandbox/reset", body, happened };
  },

  put: ({ exported }) => {
    if (exported === undefined) return undefined;
    const { state, collections } = exported;
    return { line: "PUT /_sandbox/state", body: state, happened: (now) => isRestored(now, collections) };
  },
};

function openCharge({ seen }: Kept, random: Random) {
  const open = (seen.collections.charges ?? [])
    .map(([, charge]) => charge)
    .filter(({ status }) => status === "PENDING");
  return open.length === 0 ? undefined : random.pick(open);
}

/** True if only that charge changes and has a new event. */
function changing({ charge_id }: { charge_id: string }, { seen }: Kept): Operation["happened"] {
  return (now) => {
    const changed = differences(
      { charges: seen.collections.charges! },
      { charges: now.collections.charges ?? [] },
    );
    return (
      changed.length === 1 &&
      changed[0]!.startsWith(`charges ${charge_id}: `) &&
      count(now, "events") > count(seen, "events")
    );
  };
}

/** True if there is one more record. Expired quotes may be removed. */
function isOneMore(name: string, before: Seen, now: Seen, key: string | undefined): boolean {
  const added = addedTo(name, before, now);
  return (
    added.length === 1 && (key === undefined || added[0] === key) && areOthersAlike(name, before, now, added)
  );
}

function addedTo(name: string, before: Seen, now: Seen): (string | number)[] {
  const known = keysOf(before, name);
  return [...keysOf(now, name)].filter((one) => !known.has(one));
}

function areOthersAlike(name: string, before: Seen, now: Seen, added: readonly (string | number)[]): boolean {
  const others = { [name]: now.collections[name]!.filter(([one]) => !added.includes(one)) };
  const changed = differences({ [name]: before.collections[name]! }, others);
  const isGone = (text: string): boolean => name === "quotes" && text.endsWith("| undefined");
  return changed.every(isGone);
}

function isUntouched(before: Seen, now: Seen): boolean {
  return now.isThere && differences(before.collections, now.collections).length === 0;
}

function keysOf(seen: Seen, name: string): Set<string | number> {
  return new Set((seen.collections[name] ?? []).map(([key]) => key));
}

function count(seen: Seen, name: string): number {
  return seen.collections[name]?.length ?? 0;
}

function clockOf(seen: Seen): number {
  return seen.collections.clock![0]![1].sandbox_ms;
}

function between(value: number, from: number, to: number): boolean {
  return value >= from && value <= to;
}
