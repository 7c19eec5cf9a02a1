import { fundBalance } from "../../../engine/commands/accounts.js";
import { transitionCharge } from "../../../engine/commands/charges.js";
import { setRates } from "../../../engine/commands/rates.js";
import { activateScenario, addFault, removeFaults } from "../../../engine/commands/scenarios.js";
import { transitionWithdrawalById } from "../../../engine/commands/withdrawals.js";
import type { Namespace } from "../../../namespace/namespace.js";
import { chargeStatusSchema, rateSchema, withdrawalStatusSchema } from "../../../schema/common.js";
import { fundRequestSchema, namespaceNameSchema, snapshotNameSchema } from "../../../schema/control.js";
import { parseDuration } from "../../../schema/duration.js";
import { invalid, isRefusal, type Refusal, refuse } from "../../../schema/errors.js";
import { check, issueDetails } from "../../../schema/issues.js";
import { clockSetting } from "../../../schema/options.js";
import { faultRuleSchema } from "../../../schema/scenario.js";
import { parseInstant } from "../../../schema/time.js";
import { type Actions, type Doing, type Done, say } from "./acting/action.js";
import { CHECK_ACTIONS } from "./acting/checks.js";
import { WEBHOOK_ACTIONS } from "./acting/webhooks.js";
import { payAgain, paySomething } from "./make.js";
import { span } from "./parts.js";

/** The snapshot a reset takes first. */
const BEFORE_RESET = "before-reset";
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
  charge: ({ namespace, words: [id = "", to] }) => {
    const status = check(chargeStatusSchema, to);
    if (!status.ok) return invalid({ value: "must name a status" });
    return say(
      namespace.execute(transitionCharge(id, status.data, "control", "from the dashboard")),
      () => `${id} is ${to}`,
    );
  },
  withdrawal: ({ namespace, words: [id = "", to] }) => {
    const status = check(withdrawalStatusSchema, to);
    if (!status.ok) return invalid({ value: "must name a status" });
    return say(
      namespace.execute(transitionWithdrawalById(id, status.data, undefined)),
      () => `${id} is ${to}`,
    );
  },
  ...WEBHOOK_ACTIONS,
  activate: ({ namespace, words: [name = ""] }) => {
    const stored = namespace.execute(activateScenario(name, true));
    if (!isRefusal(stored)) namespace.faults.forget(name);
    return say(stored, () => `Scenario ${name} applies to everything new`);
  },
  deactivate: ({ namespace, words: [name = ""] }) =>
    say(namespace.execute(activateScenario(name, false)), () => `Scenario ${name} is off`),
  run: async ({ namespaces, namespace, fetch, words: [name = ""] }) => {
    const source = namespace.engine.state.get("scenarios", name)?.scenario.source;
    if (source === undefined) return invalid({ name: "the scenario has no steps to run" });
    const report = await namespaces.scenarios.run(namespace, { source, vars: {}, app: undefined, fetch });
    if (isRefusal(report)) return report;
    const { passed, steps = [] } = report as {
      passed: boolean;
      steps?: readonly { passed?: boolean; message?: string; name?: string }[];
    };
    const wrong = steps.find((one) => one.passed === false);
    return {
      text: passed
        ? `${name}: ${count(steps.length, "step")} passed`
        : `${name} failed: ${wrong?.name ?? ""} ${wrong?.message ?? ""}`,
      isBad: !passed,
    };
  },
  fault: ({ namespace, form }) => {
    const rule = ruleOf(form);
    const checked = check(faultRuleSchema, rule);
    if (!checked.ok) return invalid(issueDetails(checked.issues, faultRuleSchema));
    namespace.execute(addFault(checked.data));
    return { text: `The fault is set for ${checked.data.match?.operation ?? "any call"}` };
  },
  "fault-off": ({ namespace, words: [id] }) => stopFaults(namespace, id),
  "faults-off": ({ namespace }) => stopFaults(namespace),
  fund: ({ namespace, words: [mode = "test"], form }) => {
    const checked = check(fundRequestSchema, {
      currency: form.get("currency"),
      amount: form.get("amount"),
      mode,
    });
    if (!checked.ok) return invalid(issueDetails(checked.issues, fundRequestSchema));
    return say(
      namespace.execute(fundBalance({ mode: "test", ...checked.data })),
      ({ currency }) => `${currency} ${checked.data.amount} added`,
    );
  },
  rate: ({ namespace, form }) => {
    const rate = check(rateSchema, form.get("rate"));
    const code = form.get("currency") ?? "";
    if (!rate.ok) return invalid({ rate: "must be a decimal of more than 0" });
    return namespace.execute(setRates({ [code]: rate.data })) ?? { text: `1 USD is ${rate.data} ${code}` };
  },
  save: async ({ namespace, form }) => {
    const name = check(snapshotNameSchema, form.get("name"));
    if (!name.ok) return invalid({ name: issueDetails(name.issues).body ?? "is no name for a snapshot" });
    return say(await namespace.snapshots.save(name.data), () => `Snapshot ${name.data} saved`);
  },
  restore: async ({ namespace, words: [name = ""] }) =>
    (await namespace.snapshots.restore(name)) ?? { text: `Snapshot ${name} restored` },
  undo: async ({ namespace, words: [name = ""] }) =>
    (await namespace.snapshots.restore(name)) ?? { text: "Undone: all is as it was before the reset" },
  forget: ({ namespace, words: [name = ""] }) =>
    namespace.snapshots.delete(name)
      ? { text: `Snapshot ${name} deleted` }
      : refuse("NOT_FOUND", `There is no snapshot "${name}"`),
  namespace: ({ namespaces, form }) => {
    const name = check(namespaceNameSchema, form.get("name"));
    if (!name.ok) return invalid({ name: issueDetails(name.issues).body ?? "is no name for a namespace" });
    return say(namespaces.create({ name: name.data }), () => `Namespace ${name.data} created`);
  },
  reset: async ({ namespace, words: [name] }) => {
    // The button that asks names what it resets: a press from a page of before, or of a script, does nothing.
    if (name !== namespace.name)
      return invalid({ value: `must be the namespace to reset, ${namespace.name}` });
    const saved = await namespace.snapshots.save(BEFORE_RESET);
    const refusal = namespace.reset({ keep: ["webhooks", "keys"], repeatIds: false });
    if (refusal !== undefined) return refusal;
    const text = `Namespace “${namespace.name}” reset (receivers and keys kept)`;
    return isRefusal(saved) ? { text } : { text, undo: BEFORE_RESET };
  },
  ...CHECK_ACTIONS,
  make: ({ namespace, fetch }) => paySomething(namespace, fetch),
  again: ({ namespace, fetch, words: [id = ""], form }) =>
    payAgain(namespace, fetch, id, form.get("scenario") ?? ""),
};

/** Carries out what a button says. */
export async function act(name: string, doing: Doing): Promise<Done | Refusal> {
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  return action === undefined ? NO_SUCH : action(doing);
}

function stopFaults(namespace: Namespace, id?: string): Done | Refusal {
  return say(namespace.execute(removeFaults(id)), (removed) => {
    for (const one of removed) namespace.faults.forget(one);
    return `${count(removed.length, "fault")} stopped`;
  });
}

function ruleOf(form: URLSearchParams): object {
  const effect = form.get("effect") ?? "";
  const operation = form.get("operation") ?? "*";
  const skip = Number(form.get("skip") || 0);
  return {
    match: { operation },
    ...(/^\d{3}$/.test(effect)
      ? { respond: { status: Number(effect) } }
      : effect === "slow"
        ? { delay: "3s" }
        : { drop: effect }),
    times: Number(form.get("times") || 1),
    ...(skip === 0 ? {} : { skip }),
    per: "request",
  };
}
