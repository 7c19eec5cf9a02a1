import { parseDuration } from "../../../schema/duration.js";
import { invalid, type Refusal, refuse } from "../../../schema/errors.js";
import { clockSetting } from "../../../schema/options.js";
import { parseInstant } from "../../../schema/time.js";
import { type Actions, type Doing, type Done, say } from "./acting/action.js";
import { CHARGE_ACTIONS } from "./acting/charges.js";
import { CHECK_ACTIONS } from "./acting/checks.js";
import { FAULT_ACTIONS } from "./acting/faults.js";
import { MONEY_ACTIONS } from "./acting/money.js";
import { REQUEST_ACTIONS } from "./acting/requests.js";
import { SCENARIO_ACTIONS } from "./acting/scenarios.js";
import { WEBHOOK_ACTIONS } from "./acting/webhooks.js";
import { WORLD_ACTIONS } from "./acting/world.js";
import { payAgain, paySomething } from "./make.js";
import { span } from "./parts.js";

const NO_SUCH = refuse("VALIDATION_ERROR", "There is no such button");

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? "" : "s"}`;
}

const ACTIONS: Actions = {
  advance: async ({ namespace, words: [by = ""] }) => {
    const byMs = parseDuration(by);
    if (byMs === undefined) return invalid({ value: "must be a duration" });
    return say(
      await namespace.clock.advance({ byMs }),
      ({ fired_total }) => `Advanced ${span(byMs)}: ${count(fired_total, "step")} ran`,
    );
  },
  until: async ({ namespace }) =>
    say(await namespace.clock.advance({ until: "next" }), ({ from, to, fired_total }) =>
      fired_total === 0
        ? "Nothing is due"
        : `Advanced ${span(Date.parse(to) - Date.parse(from))}: ${count(fired_total, "step")} ran`,
    ),
  to: async ({ namespace, words: [at = ""] }) => {
    const toMs = parseInstant(at);
    if (toMs === undefined) return invalid({ value: "must be an instant" });
    if (toMs < namespace.nowMs()) return { text: "That moment has passed" };
    return say(
      await namespace.clock.advance({ toMs }),
      ({ fired_total }) => `Advanced to ${at.slice(11, 19)}: ${count(fired_total, "step")} ran`,
    );
  },
  clock: async ({ namespace, words: [mode] }) => {
    const isManual = mode === "manual";
    const refusal = await namespace.clock.set({
      setting: clockSetting(isManual ? "manual" : "real"),
      nowMs: undefined,
    });
    return refusal ?? { text: isManual ? "The clock is frozen" : "The clock runs" };
  },
  ...CHARGE_ACTIONS,
  ...WEBHOOK_ACTIONS,
  ...SCENARIO_ACTIONS,
  ...CHECK_ACTIONS,
  ...REQUEST_ACTIONS,
  ...FAULT_ACTIONS,
  ...MONEY_ACTIONS,
  ...WORLD_ACTIONS,
  make: ({ namespace, fetch }) => paySomething(namespace, fetch),
  again: ({ namespace, fetch, words: [id = ""], form }) =>
    payAgain(namespace, fetch, id, form.get("scenario") ?? ""),
};

/** Carries out what a button says. */
export async function act(name: string, doing: Doing): Promise<Done | Refusal> {
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  return action === undefined ? NO_SUCH : action(doing);
}
