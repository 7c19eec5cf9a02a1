import type { Facts } from "./facts.js";
import { type FieldNote, unshown } from "./types.js";

/** Notes on what many requests and answers have in common. */

/** As fixtures check a code; which codes there are is up to them. */
const CODE_PATTERN = "^[A-Z][A-Z0-9]*(_[A-Z0-9]+)?$";

export function currency(facts: Facts, says: string, assumed?: string): FieldNote {
  return {
    says: `${says} Upper case; this server knows ${listed(facts.currencies)}.`,
    examples: facts.currencies.slice(0, 4),
    adds: { pattern: CODE_PATTERN },
    ...(assumed === undefined ? {} : { assumed }),
  };
}

export function method(facts: Facts, says: string, assumed?: string): FieldNote {
  return {
    says: `${says} This server knows ${listed(facts.methods)}; more may come.`,
    examples: facts.methods,
    ...(assumed === undefined ? {} : { assumed }),
  };
}

/** `one`, `two` and `three`, as code. */
export function listed(values: readonly string[]): string {
  const quoted = values.map((value) => `\`${value}\``);
  if (quoted.length < 2) return quoted[0] ?? "none";
  return `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}

export const METADATA_SAYS =
  "Your own data, kept with the object and sent back in reads and webhooks. Nothing sensitive belongs in it.";

export const METADATA_NOTE: FieldNote = {
  says: `${METADATA_SAYS} The key \`sandbox_scenario\` picks the scenario that decides what happens.`,
  assumed: "That a metadata key picks a scenario is this sandbox's own; the service gives no key a meaning.",
};

/** Without the keyword `default`: generators of types take a field that has one for a required one. */
export function life({ settings }: Facts): FieldNote {
  const usual = settings.limits.checkout_default_minutes;
  return { says: `Minutes until the checkout expires: ${usual} unless said otherwise.`, examples: [usual] };
}

export function redirect(when: string): FieldNote {
  return {
    says: `Where the customer is sent ${when}.`,
    assumed:
      "Must be an absolute http or https URL; `checkout_id`, `charge_id` and `status` are added to its query.",
    examples: ["https://shop.test/orders/1042"],
  };
}

/** A page of a list that the interface does not show. */
export function listOf(what: string) {
  return {
    total: unshown("How many there are, on all pages."),
    items: unshown(`${what}, newest first.`),
  };
}
