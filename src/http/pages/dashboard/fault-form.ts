import type { Namespace } from "../../../namespace/namespace.js";
import { invalid, type Refusal } from "../../../schema/errors.js";
import { check, issueDetails } from "../../../schema/issues.js";
import { type FaultRule, faultRuleSchema } from "../../../schema/scenario.js";

/** What a fault may do, and how the form says it. */
export const EFFECTS = [
  ["respond", "return an error"],
  ["delay", "wait before the work"],
  ["delay_answer", "wait after the work"],
  ["before", "drop the connection before the work"],
  ["after", "drop the connection after the work"],
  ["hang", "never respond"],
] as const;

/** So many fields can be asked for; a file has room for more. */
export const MATCHERS = [1, 2] as const;

/** What the form has until somebody changes it. */
export const DEFAULTS: Readonly<Record<string, string>> = {
  operation: "createWhitelabel",
  effect: "respond",
  status: "503",
  delay: "3s",
  times: "1",
  skip: "0",
  probability: "",
  per: "request",
};

/** What is wanted most, each by one press: the name of its button, its label, and what it fills in otherwise. */
export const READY = [
  ["next", "503 on the next checkout", {}],
  ["second", "503 on the second checkout", { skip: "1" }],
  ["lost", "Lose the response of the next checkout", { effect: "after" }],
] as const;

/** The call that makes a charge, as this app makes it. */
function checkoutCall({ journal }: Namespace): string {
  const made = journal.entries().find(({ operation }) => operation !== null && CHECKOUTS.has(operation));
  return made?.operation ?? DEFAULTS.operation!;
}
const CHECKOUTS = new Set(["createWhitelabel", "createCheckout"]);

/** What a button of one press has filled in; undefined when there is none of that name. */
export function readyForm(namespace: Namespace, name: string): URLSearchParams | undefined {
  const found = READY.find(([one]) => one === name);
  return found && new URLSearchParams({ operation: checkoutCall(namespace), ...found[2] });
}

/** The rule that is filled in, or what is wrong with it. */
export function faultIn(form: URLSearchParams): FaultRule | Refusal {
  const checked = check(faultRuleSchema, ruleIn(form));
  return checked.ok ? checked.data : invalid(issueDetails(checked.issues, faultRuleSchema));
}

/** As it is written; whether it is one, the schema says. */
function ruleIn(form: URLSearchParams): object {
  const said = (name: string) => (form.get(name) ?? DEFAULTS[name] ?? "").trim();
  const [times, skip, probability] = [
    number(said("times")),
    number(said("skip")),
    number(said("probability")),
  ];
  return {
    ...matchIn(form, said("operation")),
    ...effectIn(said),
    ...(times === undefined ? {} : { times }),
    ...(skip === undefined || skip === 0 ? {} : { skip }),
    ...(probability === undefined ? {} : { probability }),
    per: said("per"),
  };
}

/** What is no number is left for the schema to refuse. */
function number(text: string): number | string | undefined {
  if (text === "") return undefined;
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function matchIn(form: URLSearchParams, operation: string): { match?: object } {
  const match: Record<string, unknown> = operation === "*" || operation === "" ? {} : { operation };
  const metadata: Record<string, string> = {};
  for (const place of MATCHERS) {
    const field = (form.get(`field${place}`) ?? "").trim();
    const value = (form.get(`value${place}`) ?? "").trim();
    if (field === "") continue;
    if (field.startsWith("metadata.")) metadata[field.slice("metadata.".length)] = value;
    else match[field] = value;
  }
  if (Object.keys(metadata).length > 0) match.metadata = metadata;
  return Object.keys(match).length === 0 ? {} : { match };
}

function effectIn(said: (name: string) => string): object {
  const effect = said("effect");
  const code = said("code");
  const wait = said("delay").replaceAll(/\s+/g, "");
  if (/^\d{3}$/.test(effect)) return { respond: { status: Number(effect) } };
  switch (effect) {
    case "respond":
      return { respond: { status: number(said("status")), ...(code === "" ? {} : { code }) } };
    case "delay":
    case "delay_answer":
      return { [effect]: wait };
    default:
      return { drop: effect };
  }
}
