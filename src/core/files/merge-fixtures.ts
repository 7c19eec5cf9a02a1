import type * as z from "zod/mini";
import { compareAmounts, toCanonicalAmount } from "../domain/money.js";
import {
  FIXTURE_ID_FIELDS,
  type Fixtures,
  fixturesPatchSchema,
  fixturesSchema,
} from "../schema/fixtures-file.js";
import { issueMessage, safeParse } from "../schema/issues.js";
import {
  DocumentError,
  type DocumentFault,
  distinctSortedFaults,
  isRecord,
  type LoadedDocument,
  readDocument,
  schemaFaults,
} from "./documents.js";

type List = keyof Fixtures;
const LIST_NAMES = Object.keys(FIXTURE_ID_FIELDS) as List[];

/** A record with the user's changes. */
interface Entry<Of extends List> {
  readonly record: Fixtures[Of][number];
  /** Index in the user's list; undefined for an unchanged shipped record. */
  readonly index: number | undefined;
  /** True if the record is valid, so that references to and from it can be checked. */
  readonly isWhole: boolean;
  /** One fault for each missing field. */
  readonly faults: readonly DocumentFault[];
}
type Entries = { readonly [Of in List]: readonly Entry<Of>[] };

export async function readMergedFixtures(shipped: Fixtures, file: string): Promise<Fixtures> {
  return mergeFixtures(shipped, await readDocument(file));
}

/**
 * Merges the user's fixtures into the shipped ones: a record with a known id changes the fields it names; one with a
 * new id is added and must be complete. Throws a DocumentError with all faults.
 */
export function mergeFixtures(shipped: Fixtures, document: LoadedDocument): Fixtures {
  const entries = Object.fromEntries(
    LIST_NAMES.map((list) => [list, mergedList(list, shipped, document)]),
  ) as unknown as Entries;
  const faults = [
    ...schemaFaults(fixturesPatchSchema, document),
    ...LIST_NAMES.flatMap((list) => entries[list].flatMap((entry) => entry.faults)),
  ];
  const report: ReportFault = (list, index, field, message) =>
    faults.push(document.faultAt([list, index ?? 0, field], message));
  checkReferences(entries, report);
  checkPrecision(entries, report);
  if (faults.length > 0) throw new DocumentError(distinctSortedFaults(faults));
  return Object.fromEntries(
    LIST_NAMES.map((list) => [list, entries[list].map(({ record }) => record)]),
  ) as unknown as Fixtures;
}

/** Merges one list; skips records without an id, which the schema check reports. */
function mergedList<Of extends List>(list: Of, shipped: Fixtures, document: LoadedDocument): Entry<Of>[] {
  const idField = FIXTURE_ID_FIELDS[list];
  const entries = new Map<unknown, Entry<Of>>();
  for (const record of shipped[list])
    entries.set((record as Record<string, unknown>)[idField], {
      record,
      index: undefined,
      isWhole: true,
      faults: [],
    });
  const changes = isRecord(document.value) ? document.value[list] : undefined;
  for (const [index, change] of (Array.isArray(changes) ? changes : []).entries()) {
    if (!isRecord(change) || typeof change[idField] !== "string") continue;
    const record = { ...entries.get(change[idField])?.record, ...change };
    const checked = safeParse<unknown>(fixturesSchema.shape[list].def.element as z.ZodMiniType, record);
    const issues = checked.ok ? [] : checked.issues.filter(({ code }) => code !== "unrecognized_keys");
    // Invalid values are reported by the schema check.
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

type ReportFault = (list: List, index: number | undefined, field: string, message: string) => void;

/** Reports references to records that do not exist. */
function checkReferences(entries: Entries, report: ReportFault): void {
  const ids = (list: List): Set<unknown> =>
    new Set(entries[list].map(({ record }) => (record as Record<string, unknown>)[FIXTURE_ID_FIELDS[list]]));
  const [currencies, methods, organizations] = [ids("currencies"), ids("methods"), ids("organizations")];
  const mustExist = (
    known: Set<unknown>,
    name: string,
    what: string,
    ...place: [List, number | undefined, string]
  ): void => {
    if (!known.has(name)) report(...place, `there is no ${what} ${name}`);
  };
  each(entries, "methods", (method, index) => {
    for (const code of method.currencies)
      mustExist(currencies, code, "currency", "methods", index, "currencies");
  });
  each(entries, "rails", (rail, index) => {
    mustExist(currencies, rail.currency, "currency", "rails", index, "currency");
    mustExist(methods, rail.payment_method, "method", "rails", index, "payment_method");
  });
  each(entries, "organizations", (organization, index) => {
    for (const id of organization.enabled_payment_methods)
      mustExist(methods, id, "method", "organizations", index, "enabled_payment_methods");
  });
  each(entries, "keys", (key, index) => {
    mustExist(organizations, key.organization_id, "organization", "keys", index, "organization_id");
  });
  const whole = new Map(
    entries.methods.filter(({ isWhole }) => isWhole).map(({ record }) => [record.id, record]),
  );
  each(entries, "charges", (charge, index) => {
    mustExist(organizations, charge.organization_id, "organization", "charges", index, "organization_id");
    mustExist(currencies, charge.currency, "currency", "charges", index, "currency");
    mustExist(methods, charge.payment_method, "method", "charges", index, "payment_method");
    const method = whole.get(charge.payment_method);
    if (method !== undefined && !method.currencies.includes(charge.currency))
      report("charges", index, "currency", `${method.id} does not take ${charge.currency}`);
  });
  each(entries, "balances", (balance, index) => {
    mustExist(currencies, balance.currency, "currency", "balances", index, "currency");
    mustExist(organizations, balance.organization_id, "organization", "balances", index, "organization_id");
  });
}

/** Reports amounts with more decimals than their currency: money is never rounded silently. Limits are not checked. */
function checkPrecision(entries: Entries, report: ReportFault): void {
  const decimals = new Map<string, number>();
  each(entries, "currencies", (currency) => decimals.set(currency.code, currency.decimals));
  const checkAmounts = (
    currency: string,
    amounts: Readonly<Record<string, string | undefined>>,
    list: List,
    index: number | undefined,
  ): void => {
    const most = decimals.get(currency);
    for (const [field, amount] of Object.entries(amounts))
      if (
        most !== undefined &&
        amount !== undefined &&
        compareAmounts(toCanonicalAmount(amount, most), amount) !== 0
      )
        report(list, index, field, `must have at most ${most} decimals, as ${currency} has`);
  };
  each(entries, "currencies", ({ code, withdrawal_fee }, index) => {
    checkAmounts(code, { withdrawal_fee }, "currencies", index);
  });
  each(entries, "charges", ({ currency, amount }, index) => {
    checkAmounts(currency, { amount }, "charges", index);
  });
  each(entries, "balances", ({ currency, available_balance }, index) => {
    checkAmounts(currency, { available_balance }, "balances", index);
  });
}

/** Visits the valid records of a list. */
function each<Of extends List>(
  entries: Entries,
  list: Of,
  visit: (record: Fixtures[Of][number], index: number | undefined) => void,
): void {
  for (const { record, index, isWhole } of entries[list] as readonly Entry<Of>[])
    if (isWhole) visit(record, index);
}
