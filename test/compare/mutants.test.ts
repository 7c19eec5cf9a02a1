import { beforeAll, expect, it } from "vitest";
import type { Comparison } from "../../src/tools/compare/compare.js";
import { documented } from "../support/documented.js";
import { compareWith, type StandIn, startServices } from "./support/compared.js";
import { DISGUISES } from "./support/disguises.mjs";

beforeAll(() => {
  documented.isChecked = false;
});

/** Each difference with what it decides, and if a repair must hold. */
const KNOWN: Readonly<Record<string, readonly [decides: string, isRepaired: boolean]>> = {
  code_401: ["R29.3", true],
  code_405: ["A2.1", true],
  fees_card: ["A4.1", true],
  rate_kes: ["A4.1", true],
  quote_valid: ["A5.2", true],
  checkout_minutes: ["R30.5", true],
  signature: ["A12.5", true],
  event_names: ["A12.8", true],
  before_method: ["A7.6", true],
  path_rails: ["A10.3", true],
  path_payouts: ["A10.4", false],
  retry: ["A12.7", true],
  rate_limit: ["R30.1", true],
  decimals_ugx: ["A4.2", true],
  mobile_without_ghs: ["R3.2", true],
  first_status: ["A6.1", true],
  no_ms: ["A2.11", true],
  fee_number: ["R2.1", true],
  created_201: ["A2.9", true],
  url_renamed: ["A7.1", true],
  filter_ignored: ["A2.10", false],
  details_list: ["R16.2", false],
  no_405: ["A2.1", true],
  envelope_event: ["A12.8", true],
  oldest_first: ["R23.1", false],
  no_metadata_in_hook: ["R28.4", true],
  phone_plus_needed: ["A6.3", false],
};
const OTHERS: typeof KNOWN = {
  ten_keys: ["R13.2", false],
  lower_case_status: ["A6.1", true],
  livemode: ["R25.5", true],
  no_organization_id: ["R9.1", true],
  unix_times: ["A2.11", true],
  conflict_422: ["A2.1", true],
  message: ["R27.7", true],
  provider_shown: ["R6.5", true],
  settled_later: ["A9.1", false],
  hook_flat: ["A12.8", false],
  list_without_total: ["R23.8", true],
  quote_renamed: ["R11.1", true],
};

const FURTHER: typeof KNOWN = {
  replay_header: ["A11.7", false],
  replay_conflict: ["A11.7", false],
  page_of_50: ["R23.11", false],
  long_ids: ["R6.1", false],
  absent_nulls: ["R9.1", true],
  first_error: ["A1.4", false],
  created_event: ["R28.1", false],
  methods_reversed: ["R3.1", false],
  rounds_down: ["A4.5", false],
  locked_five_minutes: ["R30.4", true],
  data_for_items: ["R8.1", true],
  lower_case_currency: ["R11.1", true],
  whole_envelope: ["R2.6", false],
};

/** Compares again while the machine is too busy to measure what takes time. */
async function compareCalmly(name: string, service: StandIn): Promise<Comparison> {
  const { burst = false, payouts = false } = DISGUISES[name]!;
  for (let current = service; ; current = (await startServices([name]))[name]!) {
    const result = await compareWith(current, { burst, payouts, repair: true });
    const isBusy = result.left.some((line) => /longer than its window|too slow to tell/.test(line));
    if (!isBusy || (name !== "rate_limit" && name !== "retry")) return result;
  }
}

const BATCH = 9;

async function verdicts(table: typeof KNOWN): Promise<string[]> {
  const names = Object.keys(table);
  const services = await startServices(names);
  const found: string[] = [];
  for (let from = 0; from < names.length; from += BATCH)
    await Promise.all(
      names.slice(from, from + BATCH).map(async (name) => {
        const { differences } = await compareCalmly(name, services[name]!);
        const isNamed = differences.some(({ decides }) => decides.includes(table[name]![0]));
        const isRepaired = differences.every(({ followed }) => followed);
        found.push(
          `${name}: ${differences.length === 0 ? "missed" : `found${isNamed ? ", named" : ""}${isRepaired ? ", repaired" : ""}`}`,
        );
      }),
    );
  return found.sort();
}

const wanted = (table: typeof KNOWN) =>
  Object.entries(table)
    .map(([name, [, isRepaired]]) => `${name}: found, named${isRepaired ? ", repaired" : ""}`)
    .sort();

it("27 differences of a service are found and named, and 22 repaired so that another run says nothing", async () => {
  expect(await verdicts(KNOWN)).toEqual(wanted(KNOWN));
});

it("12 differences of other kinds are found and named, and nine repaired", async () => {
  expect(await verdicts(OTHERS)).toEqual(wanted(OTHERS));
});

it("13 differences of still other kinds are found and named, and four repaired", async () => {
  expect(await verdicts(FURTHER)).toEqual(wanted(FURTHER));
});
