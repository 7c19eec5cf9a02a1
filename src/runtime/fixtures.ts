import { compare, toCanonical } from "../domain/money.js";
import {
  FIXTURE_IDS,
  type Fixtures,
  type FixturesPatch,
  fixturesPatchSchema,
  fixturesSchema,
} from "../schema/fixtures.js";
import { check, issueMessage } from "../schema/issues.js";
import { checkDocument, DocumentError, type Fault, type LoadedDocument, readDocument } from "./documents.js";

/** A user's fixtures file, each record with at least its id. */
export async function readFixturesPatch(
  file: string,
): Promise<{ patch: FixturesPatch; document: LoadedDocument }> {
  const document = await readDocument(file);
  return { patch: checkFixturesPatch(document), document };
}

export function checkFixturesPatch(document: LoadedDocument): FixturesPatch {
  return checkDocument(fixturesPatchSchema, document);
}

/**
 * The user's fixtures over the shipped ones, record by record: a record with a known id changes the fields it
 * names, one with a new id joins and must be whole. Faults are told at their place in the user's file.
 */
export function mergeFixtures(shipped: Fixtures, patch: FixturesPatch, document: LoadedDocument): Fixtures {
  const merged: Record<string, unknown[]> = {};
  const origins = new Map<string, number>();
  for (const [list, idField] of Object.entries(FIXTURE_IDS) as [keyof Fixtures, string][]) {
    const records = [...(shipped[list] as unknown as Record<string, unknown>[])];
    for (const [index, change] of ((patch[list] ?? []) as Record<string, unknown>[]).entries()) {
      const at = records.findIndex((record) => record[idField] === change[idField]);
      const place = at === -1 ? records.length : at;
      records[place] = { ...records[place], ...change };
      origins.set(`${list}.${place}`, index);
    }
    merged[list] = records;
  }
  const checked = check(fixturesSchema, merged);
  if (checked.ok) {
    const at = (list: keyof Fixtures, index: number, field: string, message: string) =>
      document.faultAt([list, origins.get(`${list}.${index}`) ?? 0, field], message);
    const faults = [...referenceFaults(checked.data, at), ...precisionFaults(checked.data, at)];
    if (faults.length > 0) throw new DocumentError(faults);
    return checked.data;
  }
  throw new DocumentError(
    checked.issues.map((issue) => {
      const [list, index, ...rest] = issue.path as (string | number)[];
      const origin = origins.get(`${list}.${index}`);
      return document.faultAt([list!, origin ?? index!, ...rest], issueMessage(issue));
    }),
  );
}

type FaultIn = (list: keyof Fixtures, index: number, field: string, message: string) => Fault;

/** Every name that one record uses for another must exist. */
function referenceFaults(fixtures: Fixtures, fault: FaultIn): Fault[] {
  const faults: Fault[] = [];
  const currencies = new Set(fixtures.currencies.map((one) => one.code));
  const methods = new Set(fixtures.methods.map((one) => one.id));
  const organizations = new Set(fixtures.organizations.map((one) => one.organization_id));
  const need = (
    known: Set<string>,
    name: string,
    what: string,
    ...place: [keyof Fixtures, number, string]
  ): void => {
    if (!known.has(name)) faults.push(fault(...place, `there is no ${what} ${name}`));
  };
  fixtures.methods.forEach((method, index) => {
    for (const code of method.currencies) need(currencies, code, "currency", "methods", index, "currencies");
  });
  fixtures.rails.forEach((rail, index) => {
    need(currencies, rail.currency, "currency", "rails", index, "currency");
    need(methods, rail.payment_method, "method", "rails", index, "payment_method");
  });
  fixtures.organizations.forEach((organization, index) => {
    for (const id of organization.enabled_payment_methods)
      need(methods, id, "method", "organizations", index, "enabled_payment_methods");
  });
  fixtures.keys.forEach((key, index) => {
    need(organizations, key.organization_id, "organization", "keys", index, "organization_id");
  });
  fixtures.charges.forEach((charge, index) => {
    need(organizations, charge.organization_id, "organization", "charges", index, "organization_id");
    need(currencies, charge.currency, "currency", "charges", index, "currency");
    const method = fixtures.methods.find((one) => one.id === charge.payment_method);
    need(methods, charge.payment_method, "method", "charges", index, "payment_method");
    if (method !== undefined && !method.currencies.includes(charge.currency))
      faults.push(fault("charges", index, "currency", `${method.id} does not take ${charge.currency}`));
  });
  fixtures.balances.forEach((balance, index) => {
    need(currencies, balance.currency, "currency", "balances", index, "currency");
    need(organizations, balance.organization_id, "organization", "balances", index, "organization_id");
  });
  return faults;
}

/**
 * No amount that is booked is finer than its currency: it would have to be rounded, and money is never rounded
 * unseen. Limits are only compared with, and may be.
 */
function precisionFaults({ currencies, balances, charges }: Fixtures, fault: FaultIn): Fault[] {
  const faults: Fault[] = [];
  const decimals = new Map(currencies.map((one) => [one.code, one.decimals]));
  const need = (
    currency: string,
    amounts: Readonly<Record<string, string | undefined>>,
    list: keyof Fixtures,
    index: number,
  ): void => {
    const most = decimals.get(currency);
    for (const [field, amount] of Object.entries(amounts))
      if (most !== undefined && amount !== undefined && compare(toCanonical(amount, most), amount) !== 0)
        faults.push(fault(list, index, field, `must have at most ${most} decimals, as ${currency} has`));
  };
  currencies.forEach(({ code, withdrawal_fee }, index) => {
    need(code, { withdrawal_fee }, "currencies", index);
  });
  charges.forEach(({ currency, amount }, index) => {
    need(currency, { amount }, "charges", index);
  });
  balances.forEach(({ currency, available_balance }, index) => {
    need(currency, { available_balance }, "balances", index);
  });
  return faults;
}
