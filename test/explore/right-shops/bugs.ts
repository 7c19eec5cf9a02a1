import { type Allowed, drawTraits, type Traits } from "./traits.js";

interface BugDefinition {
  /** The bug in one line, for reports. */
  readonly words: string;
  /** Values that traits of the shop must have: with others the bug breaks nothing, or is mended later. */
  readonly needs: Allowed;
  /** Kinds of deviation of which one must find it. */
  readonly kinds: readonly string[];
}

const HEARS = { learns: ["webhooks", "both"] } as const;
/** No job and no read tells a shop what it has missed. */
const ONLY_HEARS = { learns: ["webhooks"], handles: ["at once"], returns: ["shows"] } as const;

/** Bugs that a copy of a right shop can have. Each is a condition or two in its code. */
export const BUGS = {
  delivers_copies: {
    words: "delivers again for each copy of a webhook",
    needs: { ...HEARS, copies: ["by state"], handles: ["at once", "queue"] },
    kinds: ["webhook_twice", "webhook_twice_at_once", "webhook_again_later", "webhook_response_lost"],
  },
  any_money: {
    words: "compares neither amount nor currency",
    needs: {},
    kinds: ["underpaid", "overpaid", "paid_in_other_currency"],
  },
  last_event_wins: {
    words: "takes the event that arrives last for the newest",
    needs: { ...ONLY_HEARS, trusts: ["event"] },
    kinds: ["webhook_after_next", "webhook_late", "webhook_after_deadline", "webhook_again_later"],
  },
  pays_again: {
    words: "makes a second charge when a response is lost",
    needs: { checkout: ["whitelabel"] },
    kinds: ["response_lost"],
  },
  late_money_forgotten: {
    words: "keeps a late payment for nothing",
    // A list of payments tells the customer that the money has come.
    needs: { list: ["none", "items", "refunds"] },
    kinds: ["paid_late"],
  },
  half_is_whole: {
    words: "takes a refund of half for one of the whole",
    needs: { ...HEARS, halves: ["shown"] },
    kinds: ["partly_refunded"],
  },
  return_is_proof: {
    words: "takes a visit of success_url for a payment",
    needs: { checkout: ["hosted"] },
    kinds: ["returned_unpaid"],
  },
  early_webhook_dropped: {
    words: "drops a webhook that arrives before its charge is stored",
    needs: { ...ONLY_HEARS, checkout: ["whitelabel"], early: ["adopts"] },
    kinds: ["webhook_first", "response_held", "response_lost"],
  },
  marked_before_done: {
    words: "stores a webhook's id before its work, which can fail",
    // With `call` the webhooks come one after the other. At once, each of their reads shows the end.
    needs: { ...ONLY_HEARS, trusts: ["read"], copies: ["by id"], reads: ["once"], pays: ["call"] },
    kinds: ["request_lost", "response_5xx", "response_429"],
  },
  delivers_unpaid: {
    words: "delivers when the payment fails or expires",
    needs: {},
    kinds: ["declined", "expired_unpaid"],
  },
} as const satisfies Readonly<Record<string, BugDefinition>>;

export type Bug = keyof typeof BUGS;
const NAMES = Object.keys(BUGS) as Bug[];

export interface Pair {
  readonly traits: Traits;
  /** The bug of the copy. */
  readonly bug: Bug;
}

/** Draws a shop and the bug of its copy. The bugs take turns. */
export function drawPair(seed: string, number: number, given: Partial<Traits> = {}): Pair {
  const bug = NAMES[(number - 1) % NAMES.length]!;
  return { bug, traits: drawTraits(`${seed} ${number}`, BUGS[bug].needs, given) };
}
