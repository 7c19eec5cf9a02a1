import { createHash } from "node:crypto";

/** Values of each trait of a shop and its flow, the plainest first. Each is drawn by itself. */
export const TRAITS = {
  // The app
  checkout: ["whitelabel", "hosted"],
  learns: ["webhooks", "polling", "both"],
  handles: ["at once", "queue", "inbox"],
  trusts: ["event", "read"],
  copies: ["by state", "by id"],
  early: ["adopts", "rereads"],
  reads: ["thrice", "once"],
  polls: ["job", "look"],
  takes: ["201", "202"],
  late: ["kept", "credited", "paid back"],
  halves: ["shown", "ignored"],
  returns: ["shows", "reads"],
  orders: ["customer's id", "text id", "number id"],
  price: ["1105.10 KES", "19999.90 NGN", "700.05 GHS"],
  // Its view
  words: ["open, paid", "pending, confirmed", "new, complete"],
  ends: ["apart", "one word"],
  id: ["none", "text", "number"],
  amounts: ["none", "text", "number", "minor"],
  goods: ["count", "list", "tickets"],
  list: ["none", "items", "payments", "refunds"],
  shape: ["flat", "nested"],
  history: ["none", "marks", "steps", "steps with times"],
  version: ["none", "number"],
  counters: ["none", "all orders"],
  times: ["none", "text", "number"],
  account: ["none", "seen"],
  // Its flow
  payments: ["1", "2", "3"],
  customers: ["one", "each"],
  turns: ["in turn", "together"],
  advance: ["none", "before", "between", "after"],
  looks: ["none", "pressed", "pending", "paid", "all"],
  presses: ["once", "again"],
  pays: ["close_page", "pay_twice", "call"],
  quiet: ["none", "own"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type TraitName = keyof typeof TRAITS;
export type Traits = { readonly [Name in TraitName]: (typeof TRAITS)[Name][number] };

const NAMES = Object.keys(TRAITS) as TraitName[];

/** Traits whose value means nothing in some shops, which then have the plainest. */
const MEANT: Readonly<Partial<Record<TraitName, (traits: Traits) => boolean>>> = {
  handles: ({ learns }) => learns !== "polling",
  trusts: ({ learns }) => learns !== "polling",
  copies: ({ learns }) => learns !== "polling",
  halves: ({ learns }) => learns !== "polling",
  early: ({ learns, checkout }) => learns !== "polling" && checkout === "whitelabel",
  polls: ({ learns }) => learns === "polling",
  takes: ({ checkout }) => checkout === "whitelabel",
  returns: ({ checkout }) => checkout === "hosted",
  pays: ({ checkout }) => checkout === "hosted",
  customers: ({ payments }) => payments !== "1",
  turns: ({ payments }) => payments !== "1",
  advance: ({ advance, payments, turns }) =>
    advance !== "between" || (payments !== "1" && turns === "in turn"),
  looks: ({ looks, checkout, pays }) => looks !== "pending" || checkout === "whitelabel" || pays === "call",
};

/** Draws one of the values, the same for the same seed and name. A new name changes no other draw. */
export function draw<Value>(seed: string, name: string, values: readonly Value[]): Value {
  const number = createHash("sha256").update(`${seed} ${name}`).digest().readUInt32BE(0);
  return values[number % values.length]!;
}

/** Values that a trait may have; absent for all. */
export type Allowed = { readonly [Name in TraitName]?: readonly Traits[Name][] };

/** Draws the traits of a shop. `given` are not drawn. */
export function drawTraits(seed: string, allowed: Allowed = {}, given: Partial<Traits> = {}): Traits {
  const drawn = NAMES.map((name) => [name, draw<string>(seed, name, allowed[name] ?? TRAITS[name])]);
  return meaningful({ ...(Object.fromEntries(drawn) as Traits), ...given });
}

/** Replaces values without meaning by the plainest. */
function meaningful(traits: Traits): Traits {
  const plain = NAMES.filter((name) => MEANT[name]?.(traits) === false).map((name) => [
    name,
    TRAITS[name][0],
  ]);
  return { ...traits, ...Object.fromEntries(plain) };
}

/** Returns the traits with one made plainest, for each that is not. */
export function plainerTraits(traits: Traits): Traits[] {
  return differing(traits).map((name) => meaningful({ ...traits, [name]: TRAITS[name][0] }));
}

/** Describes the traits that are not the plainest: `learns both, id number`. */
export function wordsOf(traits: Traits): string {
  return differing(traits)
    .map((name) => `${name} ${traits[name]}`)
    .join(", ");
}

function differing(traits: Traits): TraitName[] {
  return NAMES.filter((name) => traits[name] !== TRAITS[name][0]);
}

/** Returns true if the shop has scheduled work. */
export function hasJob({ learns, polls, handles, late, takes }: Traits): boolean {
  return (
    learns === "both" ||
    (learns === "polling" && polls === "job") ||
    handles === "inbox" ||
    late === "paid back" ||
    takes === "202"
  );
}
