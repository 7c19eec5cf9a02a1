import type { Bodies } from "./claims.js";
import type { LoadedRun } from "./facts.js";
import type { Flow } from "./flow.js";
import { chargesShownBy, hasBeenPaid } from "./money.js";
import {
  DURING_TIME_NAME,
  LOOK_MOMENTS,
  lookName,
  savedTime,
  savedVariable,
  viewVariableName,
} from "./saved-variable.js";
import { withoutRun } from "./views.js";

/** The views of an app, and the ends that the flow allows. */
export interface ObservedViews extends Pick<Flow, "allow">, Partial<Pick<Flow, "checks">> {
  /** A view shows the run's one order: it ends alike if a second press places another. */
  readonly areOfOneOrder?: boolean;
  readonly observe: readonly {
    readonly ignore?: readonly string[] | undefined;
    readonly app?: string | undefined;
  }[];
}

/** Views of a run, without its id; undefined if they were not seen. */
export function seenIn(
  { observe }: ObservedViews,
  { loaded }: LoadedRun,
  listed: ListedView = (body) => body,
): Bodies | undefined {
  const saved = observe.map((_, index) => savedVariable(loaded, viewVariableName(index)));
  return saved.includes(undefined)
    ? undefined
    : saved.map((body, index) => listed(withoutRun(body, loaded.runId), index));
}

/** Returns a view in the form in which it is compared, as `withLists` does. */
export type ListedView = (body: unknown, view: number, runId?: string) => unknown;

/** The views of a run before and during its payment, as far as they are known. */
export function waitingIn(views: ObservedViews, run: LoadedRun, listed: ListedView): Bodies[] {
  const { loaded } = run;
  const duringMs = savedTime(loaded, DURING_TIME_NAME) ?? -Infinity;
  return LOOK_MOMENTS.map((moment) => {
    const looked = views.observe.map((_, index) =>
      listed(withoutRun(savedVariable(loaded, lookName(moment, index)), loaded.runId), index),
    );
    return ofUnpaidOrders(views, run, looked, moment === "during" ? duringMs : -Infinity);
  }).filter((bodies) => bodies.some((body) => body !== undefined));
}

/** Leaves out the views of orders that were paid by a time. */
export function ofUnpaidOrders(
  { observe }: ObservedViews,
  run: LoadedRun,
  bodies: Bodies,
  byMs?: number,
): Bodies {
  return bodies.map((body, index) =>
    chargesShownBy(observe[index]!, run).some((one) => hasBeenPaid(one, byMs)) ? undefined : body,
  );
}
