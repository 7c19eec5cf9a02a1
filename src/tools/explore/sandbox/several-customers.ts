import { isJsonObject } from "../../../core/schema/json-objects.js";
import { nestedStepLists, type RawStep } from "../../scenario/loaded-steps.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import { savedVariableNames } from "../../scenario/step-loader.js";
import type { RunDocument } from "./run-document.js";

/** Customers in the saved file of a race. One is not enough: an app that has just started may be too slow to fail. */
const CUSTOMERS = 5;
const RUN_ID = `\${run.id}`;
const CUSTOMER = `${RUN_ID}-\${customer}`;

type Rule = Readonly<Record<string, unknown>>;

/** Repeats a run for several customers; returns the run unchanged if its rules or checks cannot tell them apart. */
export function repeatForCustomers({ document, roles }: RunDocument): RunDocument {
  const steps = document.steps as readonly RawStep[];
  const rules = ["charges", "webhooks", "faults"].map((kind) => (document[kind] ?? []) as readonly Rule[]);
  const isNested = steps.some((step) => ["repeat", "include"].includes(stepKindsOf(step)[0] ?? ""));
  if (isNested || document.include !== undefined || !rules.flat().every(isOfOneCustomer))
    return { document, roles };
  const texts = Object.entries(isJsonObject(document.vars) ? document.vars : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const fill = (text: string) =>
    texts.reduce((all, [name, value]) => all.replaceAll(`\${${name}}`, value), text);
  // A variable may refer to another; a chain of references has at most as many links as there are variables.
  const own = texts
    .map(([name, value]) => [name, texts.reduce(fill, value)] as const)
    .filter(([, value]) => value.includes(RUN_ID));
  const expand = (text: string) =>
    own
      .reduce((all, [name, value]) => all.replaceAll(`\${${name}}`, value), text)
      .replaceAll(RUN_ID, CUSTOMER);
  const ofCustomer = mapTexts(steps, expand) as RawStep[];
  if (ofCustomer.some((step) => checksAllCustomers(step, [CUSTOMER, ...savedReferences(steps)])))
    return { document, roles };
  const repeated = { name: "The same for several customers", repeat: CUSTOMERS, as: "customer" };
  const [charges, webhooks, faults] = rules.map((list) => mapTexts(list, anyCustomer) as Rule[]);
  return {
    document: {
      ...document,
      ...(charges!.length === 0 ? {} : { charges }),
      ...(webhooks!.length === 0 ? {} : { webhooks: webhooks!.map(forEachWebhook) }),
      ...(faults!.length === 0 ? {} : { faults: faults!.map((rule) => ({ ...rule, per: "customer" })) }),
      steps: [{ ...repeated, steps: ofCustomer }],
    },
    roles: ["expect"],
    repeatedRoles: roles,
  };
}

/** Returns true if a rule can apply per customer. A `skip` of webhooks cannot: it counts events of all customers. */
function isOfOneCustomer({ match, skip }: Rule): boolean {
  const { customer_email, type } = (match ?? {}) as Rule;
  return (
    typeof customer_email === "string" &&
    customer_email.includes(RUN_ID) &&
    (type === undefined || skip === undefined)
  );
}

function savedReferences(steps: readonly RawStep[]): string[] {
  return steps.flatMap(savedVariableNames).flatMap((name) => [`\${${name}}`, `\${${name}.`]);
}

/**
 * Returns true if a step checks something that changes when several customers use the app in one run.
 *
 * @param references texts of which a check of one customer has at least one
 */
function checksAllCustomers(step: RawStep, references: readonly string[]): boolean {
  const nested = nestedStepLists(step).flatMap(({ list }) => list as readonly RawStep[]);
  if (nested.some((one) => checksAllCustomers(one, references))) return true;
  const [kind = ""] = stepKindsOf(step);
  const text = JSON.stringify(step);
  const isOfOne = references.some((reference) => text.includes(reference));
  // The ledger has every customer's charges, so a list with the orders of one customer lacks some.
  if (kind === "reconcile") return isOfOne;
  if (kind === "request")
    return !isOfOne && String(step.request).startsWith("GET ") && "body" in ((step.expect ?? {}) as Rule);
  if (!kind.startsWith("expect_")) return false;
  return kind === "expect_balance" || (!isOfOne && (step[kind] as Rule).count !== 0);
}

function forEachWebhook(rule: Rule): Rule {
  return { ...rule, times: Number(rule.times ?? 1) * CUSTOMERS };
}

/** Replaces the run id by a glob of its customers' ids, which are the run id, a hyphen and a number. */
function anyCustomer(text: string): string {
  return text.replaceAll(RUN_ID, `${RUN_ID}-*`);
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((part) => mapTexts(part, map));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapTexts(part, map)]));
}
