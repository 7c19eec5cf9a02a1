import { payoutCurrencies } from "../../core/domain/requests/payouts.js";
import type { Engine } from "../../core/engine/engine.js";
import { formatDuration } from "../../core/schema/duration.js";
import type { MethodFixture } from "../../core/schema/fixtures.js";
import { inWords, needed } from "../../core/schema/words.js";
import type { Json } from "./document.js";
import { signatureParameters, signaturePresets } from "./signature-headers.js";

/**
 * What stands in a document for each mark: the fixtures and settings of the namespace it describes. A text that is
 * nothing but a mark may become anything; undefined leaves out the field that has it.
 */
export type Facts = (mark: string) => unknown;

export function factsOf(
  { catalogue, settings }: Pick<Engine, "catalogue" | "settings">,
  version: string,
): Facts {
  const { currencies, methods, rails } = catalogue.fixtures;
  const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);
  const codes = (all: readonly { readonly code: string }[]) => all.map(({ code }) => code);
  const ofKind = (kind: MethodFixture["kind"]) => ids(methods.filter((method) => method.kind === kind));
  const { limits, signature, error_codes, event_names } = settings;
  const decimals = Math.max(0, ...currencies.map((currency) => currency.decimals));
  const needs = [
    ...methodsNeed(ofKind("mobile_money"), "phone_number"),
    ...methodsNeed(ofKind("bank_transfer"), "bank_account_number"),
  ];
  const facts: Readonly<Record<string, () => unknown>> = {
    version: () => version,
    "currencies in words": () => inWords(codes(currencies)),
    "some currencies": () => codes(currencies).slice(0, 4),
    "payout currencies": () => codes(payoutCurrencies(catalogue)),
    "methods in words": () => inWords(ids(methods)),
    methods: () => ids(methods),
    "two methods": () => ids(methods).slice(0, 2),
    "some rails": () => ids(rails).slice(0, 3),
    "needs of the methods": () => (needs.length === 0 ? undefined : needs),
    fraction: () => (decimals === 0 ? "" : `(\\.\\d{1,${decimals}})?`),
    "quote valid": () => formatDuration(limits.quote_valid_ms),
    "quote locked": () => formatDuration(limits.quote_locked_ms),
    "checkout minutes": () => limits.checkout_default_minutes,
    "signature presets": () => signaturePresets(signature),
    "signature headers": () => signatureParameters(signature),
  };
  return (mark) => {
    const [kind, name = ""] = mark.split(" ");
    if (kind === "code") return error_codes[name] ?? name;
    if (kind === "event") return event_names[name] ?? name;
    const fact = facts[mark];
    if (fact === undefined) throw new Error(`nothing is known of {{${mark}}}`);
    return fact();
  };
}

/** Demands `field` when `payment_method` is one of these. */
function methodsNeed(methods: readonly string[], field: string): Json[] {
  return methods.length === 0
    ? []
    : [needed({ payment_method: { enum: methods } }, "payment_method", [field])];
}

/** A document, or a part of one, with what is known in the place of its marks. */
export function fill<Part>(part: Part, facts: Facts): Part {
  return filled(part, facts) as Part;
}

const MARK = /\{\{([^{}]+)\}\}/g;

function filled(part: unknown, facts: Facts): unknown {
  if (typeof part === "string") {
    if (!part.includes("{{")) return part;
    const [, whole] = /^\{\{([^{}]+)\}\}$/.exec(part) ?? [];
    return whole === undefined
      ? part.replace(MARK, (_all, mark: string) => String(facts(mark)))
      : facts(whole);
  }
  if (Array.isArray(part)) return part.map((one) => filled(one, facts));
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(
    Object.entries(part)
      .map(([name, value]) => [String(filled(name, facts)), filled(value, facts)] as const)
      .filter(([, value]) => value !== undefined),
  );
}
