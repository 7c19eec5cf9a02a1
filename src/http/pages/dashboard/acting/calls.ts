import { parseDuration } from "../../../../schema/duration.js";
import { isRefusal, type Refusal, refuse } from "../../../../schema/errors.js";
import { many, span } from "../parts.js";
import type { Action, Actions, Doing } from "./action.js";

/** The fields of control responses that notices name. */
interface Result {
  readonly url?: string;
  readonly events?: readonly string[];
  readonly status?: string;
  readonly currency?: string;
  readonly name?: string;
  readonly removed?: number;
  readonly from?: string;
  readonly to?: string;
  readonly fired_total?: number;
}

/**
 * Calls the control API of this server in the namespace of the page, so that a form has the checks of the call.
 *
 * @param path below `/_sandbox`
 */
export async function callControl<Body = Result>(
  { namespace, fetch }: Pick<Doing, "namespace" | "fetch">,
  method: string,
  path: string,
  body?: object,
): Promise<Body | Refusal> {
  const request = new Request(`http://sandbox/_sandbox${path}`, {
    method,
    headers: { "content-type": "application/json", "sandbox-namespace": namespace.name },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await fetch(request);
  const answer = (await response.json()) as Body & { error?: Omit<Refusal, "status"> };
  if (answer.error === undefined) return answer;
  const { code, message, details } = answer.error;
  return refuse(code, message, details, response.status);
}

/** A button as a call of the control API. */
interface Call {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: (doing: Doing) => string;
  readonly body?: (doing: Doing) => object;
  readonly notice: (result: Result, doing: Doing) => string;
}

const id = ({ words: [first = ""] }: Doing): string => encodeURIComponent(first);
const field = ({ form }: Doing, name: string): string => form.get(name)?.trim() ?? "";

const advanced = ({ from = "", to = "", fired_total = 0 }: Result): string =>
  `Advanced ${span(Date.parse(to) - Date.parse(from))}: ${many(fired_total, "step")} ran`;

function eventsIn(doing: Doing): string[] {
  const events = field(doing, "events")
    .split(/[\s,]+/)
    .filter((one) => one !== "");
  return events.length === 0 ? ["*"] : events;
}

const receives = ({ url, events = [] }: Result): string => `${url} receives ${events.join(", ")}`;

const CALLS: Readonly<Record<string, Call>> = {
  advance: {
    method: "POST",
    path: () => "/clock/advance",
    body: ({ words: [by = ""] }) => ({ by }),
    notice: advanced,
  },
  jump: {
    method: "POST",
    path: () => "/clock/advance",
    body: (doing) => {
      const value = field(doing, "value");
      return parseDuration(value) === undefined ? { to: value } : { by: value };
    },
    notice: advanced,
  },
  until: {
    method: "POST",
    path: () => "/clock/advance",
    body: () => ({ until: "next" }),
    notice: (result) => (result.fired_total === 0 ? "Nothing is due" : advanced(result)),
  },
  clock: {
    method: "PUT",
    path: () => "/clock",
    body: ({ words: [mode] }) => ({ mode }),
    notice: (_, { words: [mode] }) => (mode === "manual" ? "The clock is frozen" : "The clock runs"),
  },
  charge: {
    method: "POST",
    path: (doing) => `/charges/${id(doing)}/transition`,
    body: ({ words: [, to] }) => ({ to, reason: REASON }),
    notice: (_, { words: [charge, to] }) => `${charge} is ${to}`,
  },
  move: {
    method: "POST",
    path: (doing) => `/charges/${id(doing)}/transition`,
    body: (doing) => ({ to: field(doing, "to"), reason: field(doing, "reason") || REASON }),
    notice: ({ status }, doing) => `${doing.words[0]} is ${status}: ${field(doing, "reason") || REASON}`,
  },
  own: {
    method: "POST",
    path: (doing) => `/charges/${id(doing)}/advance`,
    body: ({ words: [, until] }) => ({ until }),
    notice: ({ status }, { words: [charge] }) => `${charge} is ${status}, by its own timeline`,
  },
  withdrawal: {
    method: "POST",
    path: (doing) => `/withdrawals/${id(doing)}/transition`,
    body: ({ words: [, to] }) => ({ to }),
    notice: (_, { words: [withdrawal, to] }) => `${withdrawal} is ${to}`,
  },
  fund: {
    method: "POST",
    path: () => "/balances",
    body: (doing) => ({
      currency: field(doing, "currency"),
      amount: field(doing, "amount"),
      mode: doing.words[0] ?? "test",
    }),
    notice: ({ currency }, doing) => `${currency} ${field(doing, "amount")} added`,
  },
  rate: {
    method: "PUT",
    path: () => "/rates",
    body: (doing) => ({ rates: { [field(doing, "currency")]: field(doing, "rate") } }),
    notice: (_, doing) => `1 USD is ${field(doing, "rate")} ${field(doing, "currency")}`,
  },
  receiver: {
    method: "POST",
    path: () => "/webhook-endpoints",
    body: (doing) => ({
      url: field(doing, "url"),
      events: eventsIn(doing),
      mode: field(doing, "mode") === "live" ? "live" : "test",
    }),
    notice: receives,
  },
  aim: {
    method: "PATCH",
    path: (doing) => `/webhook-endpoints/${id(doing)}`,
    body: (doing) => ({
      url: field(doing, "url"),
      ...(doing.form.has("events") ? { events: eventsIn(doing) } : {}),
    }),
    notice: receives,
  },
  enable: {
    method: "PATCH",
    path: (doing) => `/webhook-endpoints/${id(doing)}`,
    body: ({ words: [, on] }) => ({ enabled: on === "on" }),
    notice: (_, { words: [, on] }) => `The receiver is ${on === "on" ? "on" : "off"}`,
  },
  "fault-off": {
    method: "DELETE",
    path: (doing) => `/faults/${id(doing)}`,
    notice: ({ removed = 0 }) => `${many(removed, "fault")} stopped`,
  },
  "faults-off": {
    method: "DELETE",
    path: () => "/faults",
    notice: ({ removed = 0 }) => `${many(removed, "fault")} stopped`,
  },
  activate: {
    method: "POST",
    path: (doing) => `/scenarios/${id(doing)}/activate`,
    notice: ({ name }) => `Scenario ${name} applies to everything new`,
  },
  deactivate: {
    method: "POST",
    path: (doing) => `/scenarios/${id(doing)}/deactivate`,
    notice: ({ name }) => `Scenario ${name} is off`,
  },
  save: {
    method: "POST",
    path: () => "/snapshots",
    body: (doing) => ({ name: field(doing, "name") }),
    notice: ({ name }) => `Snapshot ${name} saved`,
  },
  restore: {
    method: "POST",
    path: (doing) => `/snapshots/${id(doing)}/restore`,
    notice: (_, { words: [name] }) => `Snapshot ${name} restored`,
  },
  undo: {
    method: "POST",
    path: (doing) => `/snapshots/${id(doing)}/restore`,
    notice: () => "Undone: everything is as it was before the reset",
  },
  forget: {
    method: "DELETE",
    path: (doing) => `/snapshots/${id(doing)}`,
    notice: ({ name }) => `Snapshot ${name} deleted`,
  },
  namespace: {
    method: "POST",
    path: () => "/namespaces",
    body: (doing) => ({ name: field(doing, "name") }),
    notice: ({ name }) => `Namespace ${name} created`,
  },
};

const REASON = "from the dashboard";

function actionOf({ method, path, body, notice }: Call): Action {
  return async (doing) => {
    const result = await callControl(doing, method, path(doing), body?.(doing));
    return isRefusal(result) ? result : { text: notice(result, doing) };
  };
}

/** The buttons that are one call of the control API each. */
export const CALL_ACTIONS: Actions = Object.fromEntries(
  Object.entries(CALLS).map(([name, call]) => [name, actionOf(call)]),
);
