import { isJsonObject } from "../../../core/schema/json-objects.js";
import { VARIABLE_NAME_PATTERN } from "../../../core/schema/scenario-file.js";
import { Scope } from "../../scenario/variables.js";
import type { EndMoments } from "../course.js";
import type { RunPlan } from "../run-plan.js";
import { failed, incompleteFailure, type RunFailure, type StepRole } from "../run-record.js";
import type { RunVariables } from "../sandbox/facts.js";
import { filledValue } from "../sandbox/saved-variable.js";
import { customerOf, type ExploreCustomer } from "./flow.js";
import type { RunRules } from "./local-sandbox.js";

/** The fields of a result that may be ids. */
export function idsIn(result: unknown): [field: string, id: unknown][] {
  const isId = (value: unknown) => typeof value === "string" || typeof value === "number";
  const fields = isJsonObject(result) ? Object.entries(result) : [];
  return fields.filter(([field, value]) => VARIABLE_NAME_PATTERN.test(field) && isId(value));
}

export class RunState {
  readonly customer: ExploreCustomer;
  readonly variables: RunVariables;
  /** Labels of the presses, in order. */
  readonly presses: string[] = [];
  /** Acts of the flow, in order: presses by their labels, and `pay`, `cancel` and `advance`. */
  readonly acts: { readonly name: string; readonly isPress: boolean }[] = [];
  /** For each press, the ids of the newest call before and after it; recorded in plain runs. */
  readonly pressMarks: (readonly [before: string | undefined, after: string | undefined])[] = [];
  /** Presses that the app refused, by their index. */
  readonly refused = new Map<number, () => unknown>();
  /** Presses that the app may have refused in its own words. */
  readonly unheard: (() => unknown)[] = [];
  /** Number of acts after which the flow ends. */
  endsAfter = Infinity;
  /** The flow ends where time would pass for a payment that is under way. */
  endsUnpaid = false;
  /** The flow has ended before its last act, as it expected more of a run in which something deviates. */
  hasEndedEarly = false;
  pages = 0;
  longestAdvanceMs = 0;
  readonly moments: EndMoments = {};
  failure: RunFailure | undefined;
  error: unknown;

  /** @param plan undefined for a run without deviations */
  constructor(
    id: string,
    readonly plan: RunPlan | undefined,
    readonly startMs: number,
    variedCustomerOf = (customer: ExploreCustomer) => customer,
  ) {
    this.customer = variedCustomerOf(customerOf(id));
    this.variables = { runId: id, scope: new Scope({}, { vars: {}, environment: {}, runId: id }) };
    this.variables.scope.save("id", id);
  }

  /** Number of times that the customer tries what fails. */
  get tries(): number {
    return (this.plan?.set.length ?? 0) + 1;
  }

  /** Saves the ids in the result of a press, by which an order is recognized. */
  saveResult(press: number, result: unknown): void {
    for (const [field, value] of idsIn(result))
      this.variables.scope.save(`press_${press + 1}_${field}`, value);
  }

  fail(role: StepRole, title: string, error: unknown): void {
    this.error ??= error;
    this.failure ??= failed(role, title, this.textOf(error), { isCallToApp: true });
  }

  /** Ends the run with a press that the app refuses. */
  refuse(label: string, error: unknown, status: number | undefined): void {
    this.fail("drive", label, error);
    const got = status ?? "the app refuses";
    this.failure = {
      ...this.failure!,
      body: { error: this.textOf(error) },
      differences: [{ path: "status", expected: { lt: 400 }, got }],
    };
  }

  /** Ends the run without a verdict on the app. */
  breakOff(error: unknown): void {
    this.error ??= error;
    this.failure ??= incompleteFailure(this.textOf(error));
  }

  /** The message of an error without ids, so that two explorations say the same. */
  textOf(error: unknown): string {
    const message = error instanceof Error && error.message !== "" ? error.message : String(error);
    return message
      .replaceAll(this.customer.id, "…")
      .replaceAll(this.variables.runId, "…")
      .replace(/\b(ch|co|evt|wd|quote|qt)_[0-9a-zA-Z]{8,}/g, "$1_…");
  }

  /** The rules of the plan, for this run's customer, without limits in wall time: a hold ends by what happens. */
  rules(): RunRules {
    const { plan } = this;
    if (plan === undefined) return {};
    const { faults, ...others } = plan.rules;
    const rules = {
      ...others,
      faults: faults.map(({ at_most: _most, delay_answer: _delay, ...rule }) => rule),
    };
    const used = Object.entries(rules).filter(([, list]) => list.length > 0);
    return filledValue(Object.fromEntries(used), this.variables) satisfies RunRules;
  }
}
