import type * as z from "zod/mini";
import { compare, toCanonical } from "../domain/money.js";
import { FIXTURE_IDS, type Fixtures, fixturesPatchSchema, fixturesSchema } from "../schema/fixtures.js";
import { check, issueMessage } from "../schema/issues.js";
import {
  DocumentError,
  type Fault,
  inOrder,
  isRecord,
  type LoadedDocument,
  readDocument,
  schemaFaults,
} from "./documents.js";

type List = keyof Fixtures;
const LISTS = Object.keys(FIXTURE_IDS) as List[];

/** A record of the fixtures, the user's changes in it. */
interface Entry<Of extends List> {
  readonly record: Fixtures[Of][number];
  /** Where in the user's list it is; undefined for a shipped one as it was shipped. */
  readonly index: number | undefined;
  /** Whether it has the shape of such a record; what has not cannot be held against the others. */
  readonly isWhole: boolean;
  /** What it leaves out. */
  readonly faults: readonly Fault[];
}
type Entries = { readonly [Of in List]: readonly Entry<Of>[] };

/** A user's fixtures file over the shipped ones. */
export async function readFixtures(shipped: Fixtures, file: string): Promise<Fixtures> {
  return mergeFixtures(shipped, await readDocument(file));
}

/**
 * The user's fixtures over the shipped ones, record by record: a record with a known id changes the fields it
 * names, one with a new id joins and must be whole. All faults are told at once, at their place in the user's file.
 */
export function mergeFixtures(shipped: Fixtures, document: LoadedDocument): Fixtures {
  const entries = Object.fromEntries(
    LISTS.map((list) => [list, mergedList(list, shipped, document)]),
  ) as unknown as Entries;
  const faults = [
    ...schemaFaults(fixturesPatchSchema, document),
    ...LISTS.flatMap((list) => entries[list].flatMap((entry) => entry.faults)),
  ];
  const at: FaultIn = (list, index, field, message) =>
    faults.push(document.faultAt([list, index ?? 0, field], message));
  noteReferences(entries, at);
  noteTooFine(entries, at);
  if (faults.length > 0) throw new DocumentError(inOrder(faults));
  return Object.fromEntries(
    LISTS.map((list) => [list, entries[list].map(({ record }) => record)]),
  ) as unknown as Fixtures;
}

/** One list: what has no id of its own is left out, and the file's shape tells why. */
function mergedList<Of extends List>(list: Of, shipped: Fixtures, document: LoadedDocument): Entry<Of>[] {
  const idField = FIXTURE_IDS[list];
  const entries = new Map<unknown, Entry<Of>>();
  for (const record of shipped[list])
    entries.set((record as Record<string, unknown>)[idField], {
      record,
      index: undefined,
      isWhole: true,
      faults: [],
    });
  const given = isRecord(document.value) ? document.value[list] : undefined;
  for (const [index, change] of (Array.isArray(given) ? given : []).entries()) {
    if (!isRecord(change) || typeof change[idField] !== "string") continue;
    const record = { ...entries.get(change[idField])?.record, ...change };
    const checked = check<unknown>(fixturesSchema.shape[list].def.element as z.ZodMiniType, record);
    const issues = checked.ok ? [] : checked.issues.filter(({ code }) => code !== "unrecognized_keys");
    // What a record says wrongly, the file's shape tells.
    const faults = issues
      .filter(({ input }) => input === undefined)
      .map((issue) => document.faultAt([list, index, ...(issue.path as string[])], issueMessage(issue)));
    entries.set(change[idField], {
      record: record as Entry<Of>["record"],
      index,
      isWhole: issues.length === 0,
      faults,
    });
  }
  return [...entries.values()];
}

type FaultIn = (list: List, index: number | undefined, field: string, message: string) => void;

/** Every name that one record uses for another must exist. */
function noteReferences(entries: Entries, note: FaultIn): void {
  const ids = (list: List): Set<unknown> =>
    new Set(entries[list].map(({ record }) => (record as Record<string, unknown>)[FIXTURE_IDS[list]]));
  const [currencies, methods, organizations] = [ids("currencies"), ids("methods"), ids("organizations")];
  const need = (
    known: Set<unknown>,
    name: string,
    what: string,
    ...place: [List, number | undefined, string]
  ): void => {
    if (!known.has(name)) note(...place, `there is no ${what} ${name}`);
  };
  each(entries, "methods", (method, index) => {
    for (const code of method.currencies) need(currencies, code, "currency", "methods", index, "currencies");
  });
  each(entries, "rails", (rail, index) => {
    need(currencies, rail.currency, "currency", "rails", index, "currency");
    need(methods, rail.payment_method, "method", "rails", index, "payment_method");
  });
  each(entries, "organizations", (organization, index) => {
    for (const id of organization.enabled_payment_methods)
      need(methods, id, "method", "organizations", index, "enabled_payment_methods");
  });
  each(entries, "keys", (key, index) => {
    need(organizations, key.organization_id, "organization", "keys", index, "organization_id");
  });
  const whole = new Map(
    entries.methods.filter(({ isWhole }) => isWhole).map(({ record }) => [record.id, record]),
  );
  each(entries, "charges", (charge, index) => {
    need(organizations, charge.organization_id, "organization", "charges", index, "organization_id");
    need(currencies, charge.currency, "currency", "charges", index, "currency");
    need(methods, charge.payment_method, "method", "charges", index, "payment_method");
    const method = whole.get(charge.payment_method);
    if (method !== undefined && !method.currencies.includes(charge.currency))
      note("charges", index, "currency", `${method.id} does not take ${charge.currency}`);
  });
  each(entries, "balances", (balance, index) => {
    need(currencies, balance.currency, "currency", "balances", index, "currency");
    need(organizations, balance.organization_id, "organization", "balances", index, "organization_id");
  });
}

/**
 * No amount that is booked is finer than its currency: it would have to be rounded, and money is never rounded
 * unseen. Limits are only compared with, and may be.
 */
function noteTooFine(entries: Entries, note: FaultIn): void {
  const decimals = new Map<string, number>();
  each(entries, "currencies", (currency) => decimals.set(currency.code, currency.decimals));
  const need = (
    currency: string,
    amounts: Readonly<Record<string, string | undefined>>,
    list: List,
    index: number | undefined,
  ): void => {
    const most = decimals.get(currency);
    for (const [field, amount] of Object.entries(amounts))
      if (most !== undefined && amount !== undefined && compare(toCanonical(amount, most), amount) !== 0)
        note(list, index, field, `must have at most ${most} decimals, as ${currency} has`);
  };
  each(entries, "currencies", ({ code, withdrawal_fee }, index) => {
    need(code, { withdrawal_fee }, "currencies", index);
  });
  each(entries, "charges", ({ currency, amount }, index) => {
    need(currency, { amount }, "charges", index);
  });
  each(entries, "balances", ({ currency, available_balance }, index) => {
    need(currency, { available_balance }, "balances", index);
  });
}

/** Visits what can be held against the others. */
function each<Of extends List>(
  entries: Entries,
  list: Of,
  visit: (record: Fixtures[Of][number], index: number | undefined) => void,
): void {
  for (const { record, index, isWhole } of entries[list] as readonly Entry<Of>[])
    if (isWhole) visit(record, index);
}
