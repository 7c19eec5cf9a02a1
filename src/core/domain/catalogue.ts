import type {
  CurrencyFixture,
  Fixtures,
  KeyFixture,
  MethodFixture,
  OrganizationFixture,
  RailFixture,
} from "../schema/fixtures-file.js";

/** Immutable index of a namespace's fixtures by id. */
export class Catalogue {
  readonly fixtures: Fixtures;
  readonly #currencies: ReadonlyMap<string, CurrencyFixture>;
  readonly #methods: ReadonlyMap<string, MethodFixture>;
  /** Rails by method, then by currency. */
  readonly #rails: ReadonlyMap<string, ReadonlyMap<string, readonly RailFixture[]>>;
  readonly #organizations: ReadonlyMap<string, OrganizationFixture>;
  readonly #keys: ReadonlyMap<string, KeyFixture>;
  readonly #countries: ReadonlyMap<string, Fixtures["countries"][number]>;

  constructor(fixtures: Fixtures) {
    this.fixtures = fixtures;
    this.#currencies = new Map(fixtures.currencies.map((currency) => [currency.code, currency]));
    this.#methods = new Map(fixtures.methods.map((method) => [method.id, method]));
    this.#organizations = new Map(fixtures.organizations.map((org) => [org.organization_id, org]));
    this.#keys = new Map(fixtures.keys.map((key) => [key.key, key]));
    this.#countries = new Map(fixtures.countries.map((country) => [country.code, country]));
    const rails = new Map<string, Map<string, RailFixture[]>>();
    for (const rail of fixtures.rails) {
      const ofMethod = rails.get(rail.payment_method) ?? new Map<string, RailFixture[]>();
      rails.set(rail.payment_method, ofMethod);
      ofMethod.set(rail.currency, [...(ofMethod.get(rail.currency) ?? []), rail]);
    }
    this.#rails = rails;
  }

  currency(code: string): CurrencyFixture | undefined {
    return this.#currencies.get(code);
  }

  /** Throws if the currency is unknown: the code must have been checked before. */
  requireCurrency(code: string): CurrencyFixture {
    const currency = this.#currencies.get(code);
    if (currency === undefined) throw new Error(`no such currency: ${code}`);
    return currency;
  }

  method(id: string): MethodFixture | undefined {
    return this.#methods.get(id);
  }

  enabledMethod(organization: OrganizationFixture, id: string): MethodFixture | undefined {
    return organization.enabled_payment_methods.includes(id) ? this.#methods.get(id) : undefined;
  }

  enabledMethods(organization: OrganizationFixture): MethodFixture[] {
    return this.fixtures.methods.filter((method) => organization.enabled_payment_methods.includes(method.id));
  }

  rails(method: string, currency: string): readonly RailFixture[] {
    return this.#rails.get(method)?.get(currency) ?? [];
  }

  organization(id: string): OrganizationFixture | undefined {
    return this.#organizations.get(id);
  }

  key(key: string): KeyFixture | undefined {
    return this.#keys.get(key);
  }

  /** The currency of the organization's country, if the service supports it. */
  homeCurrency(organization: OrganizationFixture): CurrencyFixture | undefined {
    const country = this.#countries.get(organization.country);
    return country === undefined ? undefined : this.#currencies.get(country.currency);
  }

  diallingCode(countryCode: string): string | undefined {
    return this.#countries.get(countryCode)?.dialling_code;
  }
}
