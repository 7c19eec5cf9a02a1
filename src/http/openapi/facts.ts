import { payoutCurrencies } from "../../domain/requests/payouts.js";
import type { Engine } from "../../engine/engine.js";
import { formatDuration } from "../../schema/duration.js";
import type { MethodFixture } from "../../schema/fixtures.js";
import type { Settings } from "../../schema/settings.js";

/** What the document takes from the fixtures and settings of the namespace it describes. */
export interface Facts {
  readonly version: string;
  /** Operation id → path of the user's own, parameters in braces. */
  readonly paths: Readonly<Record<string, string>>;
  readonly currencies: readonly string[];
  readonly payoutCurrencies: readonly string[];
  readonly methods: readonly string[];
  /** Methods that need a field of the customer's. */
  readonly needPhone: readonly string[];
  readonly needBankAccount: readonly string[];
  readonly rails: readonly string[];
  /** The most digits after the point that any currency has. */
  readonly decimals: number;
  /** In words, such as `30s`. */
  readonly quoteValid: string;
  readonly quoteLocked: string;
  readonly settings: Settings;
}

export function factsOf(
  { catalogue, settings }: Pick<Engine, "catalogue" | "settings">,
  version: string,
  paths: Facts["paths"],
): Facts {
  const { currencies, methods, rails } = catalogue.fixtures;
  const ofKind = (kind: MethodFixture["kind"]) =>
    methods.filter((method) => method.kind === kind).map((method) => method.id);
  return {
    version,
    paths,
    currencies: currencies.map((currency) => currency.code),
    payoutCurrencies: payoutCurrencies(catalogue).map((currency) => currency.code),
    methods: methods.map((method) => method.id),
    needPhone: ofKind("mobile_money"),
    needBankAccount: ofKind("bank_transfer"),
    rails: rails.map((rail) => rail.id),
    decimals: Math.max(0, ...currencies.map((currency) => currency.decimals)),
    quoteValid: formatDuration(settings.limits.quote_valid_ms),
    quoteLocked: formatDuration(settings.limits.quote_locked_ms),
    settings,
  };
}
