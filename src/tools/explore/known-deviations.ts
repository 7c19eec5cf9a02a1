import { DEVIATION_KINDS } from "../../core/schema/explore-limits.js";
import type { Deviable } from "./deviable.js";
import { type Deviation, type DeviationKind, type DeviationSet, deviationKey } from "./deviation-set.js";
import { type Effect, READ_HELD_MS } from "./effects.js";
import type { UntriedDeviation } from "./exploration.js";
import { DEVIATION_KIND_DEFINITIONS, deviationsAt } from "./kinds.js";
import { type Place, placesOf } from "./places.js";
import { type ObservedPayment, type ObservedRun, RACE_SIDES, type RaceSide } from "./run-record.js";

/** Why two deviations are not run together: they exclude each other, or neither can influence the other. */
export type SeparationReason = "impossible" | "independent";

const HELD: readonly RaceSide[] = ["first", "second"];
const NO_PROCESS = { app_killed: "only exec --explore with --kill kills the app" };
const NO_PLACE = "the plain run has no place for it";
const FIRST_ALONE =
  "only the first payment of a flow ends otherwise than in it: write a flow in which this one does";
const PAGE_KINDS: readonly DeviationKind[] = ["cancelled_then_paid", "returned_unpaid"];
const END_KINDS: readonly DeviationKind[] = [
  "paid_late",
  "declined",
  "expired_unpaid",
  "refunded",
  "partly_refunded",
  "webhook_forged",
  "foreign_charge",
  "tried_again",
];

/** All deviations that applied to any run so far, each with its place in the first such run. */
export class KnownDeviations {
  readonly #deviable: Pick<Deviable, "customer" | "lacks">;
  readonly #known = new Map<string, { readonly place: Place; readonly effect: Effect }>();
  readonly #excluded = new Set<string>();
  /** The charges and withdrawals of the first run. */
  #payments: readonly ObservedPayment[] | undefined;

  constructor(deviable: Pick<Deviable, "customer" | "lacks">) {
    this.#deviable = deviable;
  }

  /** Lists the deviations that apply to a run, and remembers their places. */
  findIn(observed: ObservedRun): Deviation[] {
    this.#payments ??= [...observed.charges, ...observed.withdrawals];
    return placesOf(observed, this.#deviable.customer).flatMap((place) => {
      const deviations = deviationsAt(place).filter(({ kind }) => this.#lacks[kind] === undefined);
      for (const deviation of deviations) {
        const key = deviationKey(deviation);
        if (this.#known.has(key)) continue;
        const effect = DEVIATION_KIND_DEFINITIONS[deviation.kind].effectAt(place)!;
        this.#known.set(key, { place, effect });
      }
      return deviations;
    });
  }

  get #lacks(): NonNullable<Deviable["lacks"]> {
    return this.#deviable.lacks ?? NO_PROCESS;
  }

  has(deviation: Deviation): boolean {
    return this.#known.has(deviationKey(deviation));
  }

  /**
   * Lists the deviations that apply to a run and are not in `tried`, and the kinds that do not apply.
   *
   * @param reasonOf returns why a deviation that applies was not tried
   */
  findUntried(
    observed: ObservedRun,
    tried: ReadonlySet<string>,
    reasonOf: (deviation: Deviation) => string,
  ): UntriedDeviation[] {
    const possible = this.findIn(observed);
    return [
      ...possible
        .filter((one) => !tried.has(deviationKey(one)))
        .map((one) => ({ ...one, reason: reasonOf(one) })),
      ...DEVIATION_KINDS.filter((kind) => possible.every((one) => one.kind !== kind)).map((kind) => ({
        kind,
        at: "*",
        reason: this.#absenceReason(kind, observed),
      })),
      ...END_KINDS.filter((kind) =>
        possible.some(
          (one) => one.kind === kind && kind !== "partly_refunded" && tried.has(deviationKey(one)),
        ),
      ).flatMap((kind) => furtherPayments(observed).map((at) => ({ kind, at, reason: FIRST_ALONE }))),
    ];
  }

  #absenceReason(kind: DeviationKind, { deliveries, charges }: ObservedRun): string {
    const { customer } = this.#deviable;
    const { hasJob, jobReason = "the flow has no tick", pages, mustPayReason, canReturn } = customer;
    const lack = this.#lacks[kind];
    if (lack !== undefined) return lack;
    if (kind === "meanwhile") return "the flow has no meanwhile";
    if (kind.startsWith("job_") && !hasJob) return jobReason;
    if (kind === "awkward_value") return "the flow gives the app no name, e-mail, price or list";
    if (PAGE_KINDS.includes(kind) && pages === 0) return "the customer pays on no page of the service";
    if (END_KINDS.includes(kind) && charges.every(({ status }) => status !== "COMPLETED"))
      return "no charge is paid";
    if (kind === "returned_unpaid" && mustPayReason === undefined && !canReturn)
      return "no checkout has a success_url that a run can name";
    if (PAGE_KINDS.includes(kind) || END_KINDS.includes(kind)) return mustPayReason ?? NO_PLACE;
    if (kind.startsWith("webhook_") && deliveries.length === 0) return "the app receives no webhooks";
    return NO_PLACE;
  }

  /** Returns a predicate for deviations that apply to a run; `found` is the result of `findIn` for the same run. */
  applicabilityTest(found: readonly Deviation[]): (deviation: Deviation) => boolean {
    const [keys, places] = [new Set(found.map(deviationKey)), new Set(found.map(({ at }) => at))];
    return (deviation) => {
      const { what } = this.#placeOf(deviation);
      if (what !== "call" && what !== "event" && what !== "change") return true;
      // A hold ends at a later change of the payment, so a deviation that holds may not apply even if its place exists.
      return this.effectOf(deviation).isHolding === undefined
        ? places.has(deviation.at)
        : keys.has(deviationKey(deviation));
    };
  }

  effectOf(deviation: Deviation): Effect {
    return this.#known.get(deviationKey(deviation))!.effect;
  }

  /** Lists the variants in which a set is run. A larger set, of which there are many, has only those that hold a side. */
  sidesOf(set: DeviationSet): RaceSide[] {
    const all = set.flatMap((deviation) => this.effectOf(deviation).sides ?? []);
    const sides = RACE_SIDES.filter(
      (side) => all.includes(side) && (set.length === 1 || HELD.includes(side)),
    );
    return sides.length === 0 ? ["first"] : sides;
  }

  /** Returns the reason not to combine two deviations; undefined if there is no reason. */
  separationOf(one: Deviation, other: Deviation): SeparationReason | undefined {
    if ([one, other].some((deviation) => this.#excluded.has(deviationKey(deviation)))) return "impossible";
    const [a, b] = [this.effectOf(one), this.effectOf(other)];
    const isSameCall =
      a.call !== undefined &&
      a.call.earlierCount === b.call?.earlierCount &&
      a.call.operation === b.call.operation;
    if (isSameCall || (a.isHolding && b.isHolding) || (a.isEnd && b.isEnd)) return "impossible";
    const [payment, otherPayment] = [this.#paymentOf(one), this.#paymentOf(other)];
    return payment !== undefined && otherPayment !== undefined && areUnrelated(payment, otherPayment)
      ? "independent"
      : undefined;
  }

  /**
   * Excludes a held read from larger sets if the app makes the read while it handles a webhook. The next webhook comes
   * only after the app's response, so such a hold always times out.
   */
  excludeUnreleasedRead([only, ...others]: DeviationSet, { deliveries }: ObservedRun): void {
    if (only?.kind !== "read_held" || others.length > 0 || this.effectOf(only).isHolding) return;
    const hasWaited = deliveries.some(({ attempts }) =>
      attempts.some(({ durationMs }) => durationMs >= READ_HELD_MS),
    );
    if (hasWaited) this.#excluded.add(deviationKey(only));
  }

  /** Returns true if the deviation affects only the run's own customer and holds no response while time advances. */
  isOwn(deviation: Deviation): boolean {
    const place = this.#placeOf(deviation);
    const { isHolding, isShared } = this.effectOf(deviation);
    return (place.what !== "call" || place.isOwn) && isHolding === undefined && isShared === undefined;
  }

  #placeOf(deviation: Deviation): Place {
    return this.#known.get(deviationKey(deviation))!.place;
  }

  #paymentOf(deviation: Deviation): ObservedPayment | undefined {
    const place = this.#placeOf(deviation);
    return this.#payments?.find((payment) => "payment" in place && payment === place.payment);
  }
}

/** Names the payments of a run after the first that is paid. */
function furtherPayments({ charges }: ObservedRun): string[] {
  const paid = charges.flatMap(({ status }, index) =>
    status === "COMPLETED" ? [`charge#${index + 1}`] : [],
  );
  return paid.slice(1);
}

/** Returns true if both payments have metadata and share no metadata value. */
function areUnrelated({ id, metadata }: ObservedPayment, other: ObservedPayment): boolean {
  const [values, others] = [Object.values(metadata), Object.values(other.metadata)];
  return (
    id !== other.id &&
    values.length > 0 &&
    others.length > 0 &&
    !values.some((value) => others.includes(value))
  );
}
