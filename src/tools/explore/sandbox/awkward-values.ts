import { compareAmounts, decimalNotation, decimalsOf } from "../../../core/domain/money.js";
import { RULE_KINDS } from "../../../core/domain/rule-matching.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import { isDecimal, isMatcher } from "../../../core/schema/matcher-words.js";
import type { ObservedCharge } from "../run-record.js";
import type { Baseline } from "./facts.js";
import { type Flow, findPresses, flowOf } from "./flow.js";
import type { FileVariant, FlowVariant } from "./flow-variant.js";
import { mapLeaves, mapTexts, PRESENT } from "./views.js";

/*
 * Values that apps mishandle, in place of those that the flow gives to the app: in `vars` and in the bodies of presses.
 */

const AWKWARD_NAME = "Zoë 北";
const AWKWARD_PRICE = "19.99";
/** One more than a usual page. */
const AWKWARD_COUNT = 21;

const NAME_KEY = /name$|^(customer|recipient|holder)$/i;
/** Names of people, such as `Amina Otieno`. An app may know other names, such as that of a plan. */
const NAME = /^\p{Lu}\p{L}+(\s\p{Lu}\p{L}+)*$/u;
/** A number beside a price may be equal to it, such as the credits that it buys. */
const PRICE_KEY = /amount|price|total|cost|cents|minor/i;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

interface GivenValue {
  readonly key: string;
  readonly value: unknown;
}

export function awkwardVariants(
  flow: Flow,
  { chargeMatch }: Pick<Baseline, "chargeMatch">,
  charges: readonly ObservedCharge[],
): FileVariant[] {
  const given = givenValues(flow);
  return [
    ...nameVariants(flow, given),
    ...emailVariants(flow, given, chargeMatch.customer_email),
    ...priceVariants(flow, given, charges),
    ...listVariants(flow, given),
  ];
}

function givenValues(flow: Flow): GivenValue[] {
  const valuesIn = (value: unknown, key = ""): GivenValue[] => {
    if (Array.isArray(value)) return [{ key, value }, ...value.flatMap((part) => valuesIn(part, key))];
    if (!isJsonObject(value)) return [{ key, value }];
    return Object.entries(value).flatMap(([name, part]) => valuesIn(part, name));
  };
  return [...valuesIn(flow.raw.vars ?? {}), ...findPresses(flow).flatMap(({ body }) => valuesIn(body))];
}

function withValues(flow: Flow, replace: (given: GivenValue) => unknown): Flow {
  const replaced = (value: unknown, key = ""): unknown => {
    const other = replace({ key, value });
    if (other !== value) return other;
    if (Array.isArray(value)) return value.map((part) => replaced(part, key));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, replaced(part, name)]));
  };
  const { raw } = flow;
  const presses = findPresses(flow);
  const steps = (raw.steps as Flow["drive"]).map((step) =>
    presses.includes(step) && step.body !== undefined ? { ...step, body: replaced(step.body) } : step,
  );
  const vars = raw.vars === undefined ? {} : { vars: replaced(raw.vars) };
  return flowOf(flow.file, { ...raw, ...vars, steps });
}

function nameVariants(flow: Flow, given: readonly GivenValue[]): FileVariant[] {
  const isName = ({ key, value }: GivenValue) =>
    NAME_KEY.test(key) && typeof value === "string" && NAME.test(value);
  const names = [...new Set(given.filter(isName).map(({ value }) => String(value)))];
  if (names.length === 0) return [];
  return [
    {
      ...UNCHANGED,
      at: "name",
      when: `with the name ${AWKWARD_NAME}`,
      flow: withValues(flow, (one) => (isName(one) ? AWKWARD_NAME : one.value)),
      expectedOf: (plain) =>
        mapTexts(
          plain,
          (text) => {
            const other = names.reduce((all, name) => all.replaceAll(name, AWKWARD_NAME), text);
            return other === text ? text : { in: [other, text] };
          },
          isMatcher,
        ),
    },
  ];
}

const UNCHANGED = {
  kind: "awkward_value",
  mayBeRefused: true,
} as const;

/** Writes an e-mail address in upper case, but for the names of variables. */
export function inUpperCase(email: string): string {
  return email.replace(/(\$\{[^}]*\})|[^$]+?(?=\$\{|$)/g, (part, variable) => variable ?? part.toUpperCase());
}

function emailVariants(flow: Flow, given: readonly GivenValue[], customer: unknown): FileVariant[] {
  const isEmail = ({ value }: GivenValue): boolean =>
    typeof value === "string" && EMAIL.test(value) && inUpperCase(value) !== value;
  const emails = [...new Set(given.filter(isEmail).map(({ value }) => String(value)))];
  if (emails.length === 0 || namesEmail(flow, emails)) return [];
  const raw = JSON.parse(
    emails.reduce((all, email) => all.replaceAll(email, inUpperCase(email)), JSON.stringify(flow.raw)),
  );
  return [{ ...emailVariant(emails[0]!, customer), flow: flowOf(flow.file, raw) }];
}

/** @param customer pattern of the address that selects the charges of a run; undefined if none does */
export function emailVariant(email: string, customer: unknown): FlowVariant {
  return {
    ...UNCHANGED,
    at: "e-mail",
    when: `with the e-mail ${inUpperCase(email).replace(/\$\{[^}]*\}/g, "…")}`,
    ...(typeof customer === "string"
      ? { chargeMatch: { customer_email: { in: spellingsOf(customer) } } }
      : {}),
    // An app may show a part of an address, or another spelling.
    expectedOf: (plain) =>
      mapTexts(
        plain,
        (text) => (text.includes("@") ? PRESENT : { in: [text, inUpperCase(text)] }),
        isMatcher,
      ),
  };
}

/** An app may write only the part before the `@` in the customer's case. */
function spellingsOf(email: string): string[] {
  const upper = inUpperCase(email);
  const at = email.indexOf("@");
  return [email, upper, `${upper.slice(0, at)}${email.slice(at)}`];
}

/** Returns true if rules or other steps than calls to the app name an address: they may miss another spelling. */
function namesEmail({ raw, drive, reset, scheduledWork }: Flow, emails: readonly string[]): boolean {
  const variables = Object.entries(isJsonObject(raw.vars) ? raw.vars : {})
    .filter(([, value]) => emails.includes(String(value)))
    .map(([name]) => `\${${name}}`);
  const others = [...drive.filter(({ app }) => app === undefined), ...reset, ...scheduledWork];
  const text = JSON.stringify([others, RULE_KINDS.map((kind) => raw[kind])]);
  return [...emails, ...variables].some((name) => text.includes(name));
}

/** How a flow writes the price of a charge: as a text, as a number, or in minor units. */
function priceVariants(
  flow: Flow,
  given: readonly GivenValue[],
  charges: readonly ObservedCharge[],
): FileVariant[] {
  const prices = [...new Set(charges.map(({ base }) => base.amount))];
  const [price] = prices;
  if (price === undefined || prices.length > 1 || decimalsOf(price) < decimalsOf(AWKWARD_PRICE)) return [];
  const inMinor = (amount: string) => Number(amount.replace(".", ""));
  const awkwardFor = ({ key, value }: GivenValue): unknown => {
    if (!PRICE_KEY.test(key)) return value;
    if (typeof value === "string" && isDecimal(value) && compareAmounts(value, price) === 0)
      return AWKWARD_PRICE;
    if (typeof value !== "number" || !Number.isFinite(value)) return value;
    if (compareAmounts(decimalNotation(value), price) === 0) return Number(AWKWARD_PRICE);
    return decimalsOf(price) === 2 && value === inMinor(price) ? inMinor(AWKWARD_PRICE) : value;
  };
  if (given.every((one) => awkwardFor(one) === one.value)) return [];
  return [
    {
      ...UNCHANGED,
      at: "amount",
      when: `with the amount ${AWKWARD_PRICE}`,
      flow: withValues(flow, awkwardFor),
      chargeMatch: { base_amount: AWKWARD_PRICE },
      told: AWKWARD_PRICE,
      expectedOf: (plain) => withoutAmounts(plain),
    },
  ];
}

function listVariants(flow: Flow, given: readonly GivenValue[]): FileVariant[] {
  const list = given.find(({ value }) => Array.isArray(value) && value.length > 0)?.value as
    | readonly unknown[]
    | undefined;
  if (list === undefined || list.length >= AWKWARD_COUNT) return [];
  const many = Array.from({ length: AWKWARD_COUNT }, (_, index) => list[index % list.length]);
  return [
    {
      ...UNCHANGED,
      at: "list",
      when: `with ${AWKWARD_COUNT} entries`,
      flow: withValues(flow, ({ value }) => (value === list ? many : value)),
      mayCostMore: true,
      entries: [list.length, AWKWARD_COUNT],
      // A list is as any number is.
      expectedOf: (plain) => withoutAmounts(plain, (part) => Array.isArray(part) || isMatcher(part)),
    },
  ];
}

/** Expects any number, and any text with one, in place of each. */
function withoutAmounts(expected: unknown, isLeaf = isMatcher as (part: unknown) => boolean): unknown {
  const isAmount = (leaf: unknown) =>
    typeof leaf === "number" || Array.isArray(leaf) || (typeof leaf === "string" && /\d/.test(leaf));
  return mapLeaves(expected, (leaf) => (isAmount(leaf) ? PRESENT : leaf), isLeaf);
}
