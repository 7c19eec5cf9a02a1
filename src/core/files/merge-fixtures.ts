import type * as z from "zod/mini";
import { compareAmounts, toCanonicalAmount } from "../domain/money.js";
import {
  FIXTURE_ID_FIELDS,
  type Fixtures,
  fixturesPatchSchema,
  fixturesSchema,
} from "../schema/fixtures-file.js";
import { issueMessage, safeParse } from "../schema/issues.js";
import { isJsonObject } from "../schema/json-objects.js";
import {
  DocumentError,
  type DocumentFault,
  type LoadedDocument,
  readDocument,
  schemaFaults,
  sortAndDedupeFaults,
} from "./documents.js";

type List = keyof Fixtures;
const LIST_NAMES = Object.keys(FIXTURE_ID_FIELDS) as List[];

/** A merged record: a shipped record, changed or not, or a record of the user. */
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

/** A known id overrides fields, a new record must be complete. Throws a DocumentError with all faults. */
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
  if (faults.length > 0) throw new DocumentError(sortAndDedupeFaults(faults));
  return Object.fromEntries(
    LIST_NAMES.map((list) => [list, entries[list].map(({ record }) => record)]),
  ) as unknown as Fixtures;
}

/** Merges one list; skips records without an id, which the schema check reports. */
function mergedList<Of extends List>(list: Of, shipped: Fixtures, document: LoadedDocument): Entry<Of>[] {
  const idField = FIXTURE_ID_FIELDS[list];
  const entries = new Map<unknown, Entry<Of>>();
  for (const record of shipped[list])
    entries.set(fieldOf(record, idField), { record, index: undefined, isWhole: true, faults: [] });
  const changes = isJsonObject(document.value) ? document.value[list] : undefined;
  for (const [index, change] of (Array.isArray(changes) ? changes : []).entries()) {
    if (!isJsonObject(change) || typeof change[idField] !== "string") continue;
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

/** `[list, field, target]`: the field of a record in `list` names records of the list `target`. */
const REFERENCES = [
  ["methods", "currencies", "currencies"],
  ["rails", "currency", "currencies"],
  ["rails", "payment_method", "methods"],
  ["organizations", "enabled_payment_methods", "methods"],
  ["keys", "organization_id", "organizations"],
  ["charges", "organization_id", "organizations"],
  ["charges", "currency", "currencies"],
  ["charges", "payment_method", "methods"],
  ["balances", "currency", "currencies"],
  ["balances", "organization_id", "organizations"],
] as const;
const NOUNS = { currencies: "currency", methods: "method", organizations: "organization" } as const;

function checkReferences(entries: Entries, report: ReportFault): void {
  for (const [list, field, target] of REFERENCES) {
    const known = new Set(entries[target].map(({ record }) => fieldOf(record, FIXTURE_ID_FIELDS[target])));
    for (const { record, index } of wholeEntries(entries, list))
      for (const id of [fieldOf(record, field)].flat())
        if (!known.has(id)) report(list, index, field, `there is no ${NOUNS[target]} ${id}`);
  }
  const methods = new Map(wholeEntries(entries, "methods").map(({ record }) => [record.id, record]));
  for (const { record, index } of wholeEntries(entries, "charges")) {
    const method = methods.get(record.payment_method);
    if (method !== undefined && !method.currencies.includes(record.currency))
      report("charges", index, "currency", `${method.id} does not take ${record.currency}`);
  }
}

/** `[list, field, currencyField]`: the field has an amount; `currencyField` has the amount's currency. */
const AMOUNTS = [
  ["currencies", "withdrawal_fee", "code"],
  ["charges", "amount", "currency"],
  ["balances", "available_balance", "currency"],
] as const;

/** Reports amounts with more decimals than their currency: money is never rounded silently. Limits are not checked. */
function checkPrecision(entries: Entries, report: ReportFault): void {
  const decimals = new Map<unknown, number>(
    wholeEntries(entries, "currencies").map(({ record }) => [record.code, record.decimals]),
  );
  for (const [list, field, currencyField] of AMOUNTS)
    for (const { record, index } of wholeEntries(entries, list)) {
      const [amount, currency] = [fieldOf(record, field), fieldOf(record, currencyField)];
      const most = decimals.get(currency);
      if (most === undefined || typeof amount !== "string") continue;
      if (compareAmounts(toCanonicalAmount(amount, most), amount) !== 0)
        report(list, index, field, `must have at most ${most} decimals, as ${currency} has`);
    }
}

function fieldOf(record: object, field: string): unknown {
  return (record as Record<string, unknown>)[field];
}

function wholeEntries<Of extends List>(entries: Entries, list: Of): readonly Entry<Of>[] {
  return (entries[list] as readonly Entry<Of>[]).filter(({ isWhole }) => isWhole);
}
