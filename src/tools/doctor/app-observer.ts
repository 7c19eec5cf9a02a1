import type { Mode } from "../../core/schema/common.js";
import { isSuccessStatus } from "../../core/schema/http-response.js";
import type { Answer, Probe } from "../../core/schema/receiver-report.js";
import type { WallClock } from "../../core/time/wall-clock.js";
import {
  type AppView,
  describeChanges,
  describeFirstDifference,
  effectOf,
  isAmountIn,
  viewOf,
  viewPathsOf,
} from "./app-view.js";
import { buildObserveUrl, chargePlaceholderValues, metadataKeysOf } from "./check-options.js";
import { type Observation, VISIBILITY_PROBE } from "./probe.js";
import type { ObservationOptions, ProbeSession } from "./probe-session.js";
import { type ChargeRecord, type RealCharge, RealCharges } from "./real-charges.js";
import { NULLABLE_CHARGE_FIELDS, type SampleEvent } from "./samples.js";
import { sendRequest } from "./send-request.js";

/** Timeout for the effect of the first event, which may come long after the app's response. */
const FIRST_TIMEOUT_MS = 5_000;
/** Later timeouts are 20 times the slowest effect so far, but at least this long. */
const MIN_TIMEOUT_MS = 3_000;
const POLL_MS = 25;
const SETTLE_MS = 100;

const FALSE_AMOUNT = "73519.37";
const BURST = 10;
const COPIES = 5;
const RETRIES = 3;

interface ChargeWithView<Charge extends ChargeRecord = RealCharge> {
  readonly charge: Charge;
  readonly before: AppView;
}

/** Compares the app's view of real charges before and after their events (--observe, docs/webhooks.md). */
export class AppObserver {
  readonly #session: ProbeSession;
  readonly #charges: RealCharges;
  readonly #observe: string;
  readonly #wall: WallClock;
  readonly #observed = new Map<string, ChargeWithView>();
  readonly #opening: ChargeWithView[] = [];
  /** Paths of the view that change without an event, or differ between charges. */
  readonly #ignored = new Set<string>();
  /** Paths of the view that differ between unpaid charges. */
  readonly #own = new Set<string>();
  #usualEffect: AppView = new Map();
  #noEffect: Observation | undefined;
  #slowestMs = 0;
  /** True if the app creates its charges by orders. */
  readonly #hasOrders: boolean;
  /** True if the app may show an order before it is paid. */
  #mayShowOrders: boolean;

  private constructor(session: ProbeSession, charges: RealCharges, { observe, order }: ObservationOptions) {
    this.#session = session;
    this.#hasOrders = this.#mayShowOrders = order !== undefined;
    this.#charges = charges;
    this.#observe = observe;
    this.#wall = session.options.wall;
  }

  /** Creates the first charges; the session's first events are about them. */
  static async open(session: ProbeSession, options: ObservationOptions): Promise<AppObserver> {
    const charges = await RealCharges.open(session.options, options);
    const observer = new AppObserver(session, charges, options);
    try {
      for (let count = 0; count < 2; count++) observer.#opening.push(await observer.#newCharge());
    } catch (error) {
      await charges.close();
      throw error;
    }
    let opened = 0;
    session.makeFirstEvent = () =>
      observer.#opening[opened++ % observer.#opening.length]!.charge.events.COMPLETED;
    return observer;
  }

  async close(): Promise<void> {
    await this.#charges.close();
  }

  /** Throws if rate limits of the sandbox distorted the observations. */
  throwIfLimited(): Promise<void> {
    return this.#charges.throwIfLimited();
  }

  /** Observes the effect of a probe's events; undefined for a probe judged by responses alone. */
  async observe(probe: Probe): Promise<Observation | undefined> {
    const observe = OBSERVATIONS[probe];
    if (observe === undefined) return undefined;
    if (probe !== VISIBILITY_PROBE && this.#noEffect !== undefined) return this.#noEffect;
    return observe.call(this);
  }

  async observeDuplicate(): Promise<Observation> {
    const [first, second] = [await this.#newCharge(), await this.#newCharge()];
    const effects: AppView[] = [];
    for (const observed of [first, second]) {
      const after = await this.#pay(observed);
      if (after === undefined) return this.#noEffect!;
      effects.push(effectOf(observed.before, after));
    }
    for (const path of viewPathsOf(...effects))
      if (effects[0]!.get(path) !== effects[1]!.get(path)) this.#ignored.add(path);
    for (const path of viewPathsOf(first.before, second.before))
      if (first.before.get(path) !== second.before.get(path)) this.#own.add(path);
    this.#usualEffect = effects[0]!;
    this.#observed.set("paid", second);
    const before = await this.#readView(first.charge);
    await this.#deliver(first.charge.events.COMPLETED);
    const changes = describeChanges(before, await this.#readSettledView(first), this.#ignored);
    return changes.length === 0
      ? { text: "the repeated event changed nothing" }
      : { text: `the repeated event changed it: ${changes.join(", ")}`, fault: "handled_twice" };
  }

  async observeSimultaneous(): Promise<Observation> {
    const observed = await this.#newCharge();
    const { COMPLETED } = observed.charge.events;
    await Promise.all(Array.from({ length: COPIES }, () => this.#deliver(COMPLETED)));
    await this.#readSettledView(observed);
    const wrong = await this.#difference(observed);
    return wrong === undefined
      ? { text: "concurrent copies had the effect of one" }
      : { text: `${COPIES} copies at once: ${wrong}`, fault: "handled_at_once" };
  }

  async observeReordered(): Promise<Observation> {
    const paid = this.#observed.get("paid")!;
    const before = await this.#readView(paid.charge);
    for (const late of ["PROCESSING", "AWAITING_PAYMENT"] as const)
      await this.#deliver(paid.charge.events[late]);
    const changes = describeChanges(before, await this.#readSettledView(paid), this.#ignored);
    return changes.length === 0
      ? { text: "events from before the payment changed nothing" }
      : { text: `an event from before the payment changed it: ${changes.join(", ")}`, fault: "goes_back" };
  }

  async observeKnownId(): Promise<Observation> {
    const observed = await this.#newCharge();
    const { COMPLETED } = observed.charge.events;
    await this.#session.send("forged", COMPLETED, { secrets: [this.#session.unknownSecret] });
    const changes = describeChanges(observed.before, await this.#readSettledView(observed), this.#ignored);
    if (changes.length > 0)
      return { text: `a forged event changed it: ${changes.join(", ")}`, fault: "forged_acted_upon" };
    await this.#deliverUntilAccepted(COMPLETED);
    const wrong = await this.#difference(observed);
    return wrong === undefined
      ? { text: "a forged event changed nothing, and the genuine event with its id was handled" }
      : { text: `after a forged event with its id, the genuine one: ${wrong}`, fault: "forged_id_counts" };
  }

  async observeRetry(): Promise<Observation> {
    const crashed = this.#opening.find(
      ({ charge }) => charge.events.COMPLETED.id === this.#session.retried?.event.id,
    );
    const observed = crashed ?? (await this.#newCharge());
    const first =
      crashed === undefined
        ? await this.#charges.whileUnreadable(observed.charge, () =>
            this.#deliver(observed.charge.events.COMPLETED),
          )
        : undefined;
    const hasFailed = first === undefined || first.kind !== "accepted";
    if (first !== undefined && hasFailed) await this.#deliverUntilAccepted(observed.charge.events.COMPLETED);
    const wrong = await this.#difference(observed);
    if (wrong !== undefined) {
      const when = hasFailed ? "sent again after it failed" : "accepted while the sandbox returned 500";
      return { text: `an event ${when}: ${wrong}`, fault: "lost" };
    }
    return hasFailed
      ? { text: "an event that failed at first was handled when it arrived again" }
      : {
          text: "It did its work while the sandbox returned 500 for reads of the charge, so no failure could be provoked.",
          isUnclear: true,
        };
  }

  async observeBurst(): Promise<Observation> {
    const all: ChargeWithView[] = [];
    for (let count = 0; count < BURST; count++) all.push(await this.#newCharge());
    const answers = await Promise.all(all.map(({ charge }) => this.#deliver(charge.events.COMPLETED)));
    const accepted = all.filter((_, index) => answers[index]!.kind === "accepted");
    const differences = await Promise.all(accepted.map((observed) => this.#difference(observed)));
    const wrong = differences.filter((difference) => difference !== undefined);
    return wrong.length === 0
      ? { text: "all events accepted at once were handled" }
      : { text: `${wrong.length} of ${BURST} accepted at once: ${wrong[0]}`, fault: "lost_in_burst" };
  }

  async observeAmount(): Promise<Observation> {
    const observed = await this.#newCharge();
    const { id, body } = observed.charge.events.COMPLETED;
    const amounts = /"(amount|settlement_amount)":"[\d.]+"/g;
    await this.#deliver({ id, body: body.replace(amounts, `"$1":"${FALSE_AMOUNT}"`) });
    const values = [...(await this.#readSettledView(observed)).values()];
    if (isAmountIn(values, Number(FALSE_AMOUNT)))
      return { text: `it shows ${FALSE_AMOUNT}, which is only in the event`, fault: "amount_trusted" };
    const { charge } = this.#observed.get("paid")!;
    const paidValues = [...(await this.#readView(charge)).values()];
    return [charge.amount, charge.settlement_amount].some((amount) => isAmountIn(paidValues, Number(amount)))
      ? { text: `it does not show ${FALSE_AMOUNT}, which is only in the event` }
      : {
          text: "Its response shows no amount: check yourself that it does not trust the event's.",
          isUnclear: true,
        };
  }

  /** Judges only that something changes, because the view may show the field. */
  async observeNullFields(): Promise<Observation> {
    const refused: string[] = [];
    const changes = new Map<string, Promise<boolean>>();
    const { data } = JSON.parse(this.#observed.get("paid")!.charge.events.COMPLETED.body);
    for (const field of NULLABLE_CHARGE_FIELDS.filter((name) => data[name] !== null)) {
      const observed = await this.#newCharge();
      const { id, body } = observed.charge.events.COMPLETED;
      const event = JSON.parse(body);
      event.data[field] = null;
      const { kind, status, error } = await this.#deliverUntilAccepted({ id, body: JSON.stringify(event) });
      if (kind === "accepted") changes.set(field, this.#waitForChange(observed));
      else refused.push(`${field} (${status ?? error})`);
    }
    const dropped: string[] = [];
    for (const [field, hasChanged] of changes) if (!(await hasChanged)) dropped.push(field);
    if (refused.length > 0)
      return { text: `not accepted with null in ${refused.join(", ")}`, fault: "null_field" };
    return dropped.length === 0
      ? { text: "each event with null in a field was handled" }
      : {
          text: `accepted, and nothing done, with null in ${dropped.join(", ")}`,
          fault: "null_field_dropped",
        };
  }

  async observeOtherMode(): Promise<Observation> {
    return (await this.#isPaidByAnother("live"))
      ? { text: "a live charge with the metadata of an unpaid test charge paid it", fault: "other_mode_paid" }
      : { text: "a live charge with the metadata of a test charge paid nothing" };
  }

  async observeForeignCharge(): Promise<Observation> {
    if (!(await this.#isPaidByAnother("test")))
      return { text: "a foreign charge with the metadata of the app's own paid nothing" };
    const text = "A foreign charge with the metadata of an unpaid one of the app paid it.";
    // Without --order, the app created none of the charges, and cannot tell them apart.
    return this.#hasOrders ? { text, fault: "foreign_charge_fulfilled" } : { text, isUnclear: true };
  }

  /** Delivers an event before the app gets the response to its call; undefined if the app makes no calls. */
  async observeEarly(): Promise<Observation | undefined> {
    const found = await this.#charges.whileHeld((charge) => this.#deliver(charge.events.COMPLETED));
    if (found === undefined) return undefined;
    if (found === "hosted")
      return { text: "it creates hosted checkouts, which nobody can pay before it has their URL" };
    const { charge, result } = found;
    if (result.kind !== "accepted") await this.#deliverUntilAccepted(charge.events.COMPLETED);
    // Another unpaid charge's view stands in for the one before payment, but not for fields with the order's own values.
    const { before } = this.#observed.get("paid")!;
    const isUsual = (path: string) => this.#usualEffect.has(path) && !this.#own.has(path);
    const wrong = await this.#difference({ charge, before }, isUsual);
    return wrong === undefined
      ? { text: "an event that arrived before the response to its call was handled" }
      : { text: `an event before the response to its call: ${wrong}`, fault: "lost_early" };
  }

  async #newCharge(): Promise<ChargeWithView> {
    return this.#view(await this.#charges.createPaid(metadataKeysOf(this.#observe)));
  }

  async #view<Charge extends ChargeRecord>(charge: Charge): Promise<ChargeWithView<Charge>> {
    // An app that works after its response shows the order a moment later. An app that shows only paid orders is waited for once.
    if (this.#mayShowOrders)
      this.#mayShowOrders = await this.#waitUntil(async () =>
        isSuccessStatus((await this.#requestView(charge)).status),
      );
    return { charge, before: await this.#readView(charge) };
  }

  #deliver(event: SampleEvent): Promise<Answer> {
    return this.#session.deliver("a real charge's event", event);
  }

  /** Repeats an event until it is accepted, as the service would. */
  async #deliverUntilAccepted(event: SampleEvent): Promise<Answer> {
    let answer = await this.#deliver(event);
    for (let retry = 0; retry < RETRIES && answer.kind !== "accepted"; retry++)
      answer = await this.#deliver(event);
    return answer;
  }

  /** Pays a charge and returns the view afterwards. Sets `#noEffect` if the view does not change. */
  async #pay(observed: ChargeWithView): Promise<AppView | undefined> {
    const { charge, before } = observed;
    await this.#pause(SETTLE_MS);
    for (const path of viewPathsOf(before, await this.#readView(charge)))
      if (before.get(path) !== (await this.#readView(charge)).get(path)) this.#ignored.add(path);
    const answer = await this.#deliverUntilAccepted(charge.events.COMPLETED);
    const startMs = this.#wall.nowMs();
    const hasChanged = await this.#waitForChange(observed);
    this.#slowestMs = Math.max(this.#slowestMs, this.#wall.nowMs() - startMs);
    if (hasChanged) return this.#readSettledView(observed);
    const { href } = this.#viewUrl(charge);
    const status = (await this.#requestView(charge)).status ?? "no answer";
    const response = answer.status ?? answer.error;
    this.#noEffect = {
      text: `GET ${href} (${status}) is the same before and after the charge is paid (${response})`,
      fault: "nothing_seen",
    };
    return undefined;
  }

  #waitForChange({ charge, before }: ChargeWithView): Promise<boolean> {
    return this.#waitUntil(
      async () => describeChanges(before, await this.#readView(charge), this.#ignored).length > 0,
    );
  }

  /** Returns true if a payment of another charge, with the same metadata, has its effect on an unpaid charge. */
  async #isPaidByAnother(mode: Mode): Promise<boolean> {
    const observed = await this.#view(await this.#charges.createUnpaid(metadataKeysOf(this.#observe)));
    const { samples } = this.#session;
    const { charge_id, checkout_id } = samples.charge();
    const data = { ...observed.charge.paidData, charge_id, checkout_id };
    await this.#deliver(samples.eventOf("charge.completed", data, { mode }));
    const effect = effectOf(observed.before, await this.#readSettledView(observed));
    return describeFirstDifference(effect, this.#usualEffect, this.#ignored) === undefined;
  }

  /** Waits for the usual effect of a payment; describes the difference if the effect does not appear. */
  async #difference(observed: ChargeWithView, isCompared = (_path: string) => true) {
    let wrong: string | undefined;
    await this.#waitUntil(async () => {
      const effect = effectOf(observed.before, await this.#readView(observed.charge));
      const left = [...viewPathsOf(effect, this.#usualEffect)].filter((path) => !isCompared(path));
      wrong = describeFirstDifference(effect, this.#usualEffect, new Set([...this.#ignored, ...left]));
      return wrong === undefined;
    });
    return wrong;
  }

  /** Reads the view once the app has had time to finish its work. */
  async #readSettledView({ charge }: ChargeWithView<ChargeRecord>): Promise<AppView> {
    await this.#pause(Math.max(SETTLE_MS, 3 * this.#slowestMs));
    return this.#readView(charge);
  }

  async #readView(charge: ChargeRecord): Promise<AppView> {
    return viewOf(
      await this.#requestView(charge),
      Object.values(chargePlaceholderValues(charge)),
      this.#wall.nowMs(),
    );
  }

  #requestView(charge: ChargeRecord): Promise<Answer> {
    const request = { method: "GET", sent: "a look", attempt: 1, eventId: "", headers: {}, body: "" };
    return sendRequest(this.#viewUrl(charge), request, this.#session.options.timeoutMs, this.#wall);
  }

  #viewUrl(charge: ChargeRecord): URL {
    return buildObserveUrl(this.#observe, this.#session.options.url, charge);
  }

  async #waitUntil(isMet: () => Promise<boolean>): Promise<boolean> {
    const isKnown = this.#usualEffect.size > 0;
    const timeoutMs = isKnown ? Math.max(MIN_TIMEOUT_MS, 20 * this.#slowestMs) : FIRST_TIMEOUT_MS;
    const endMs = this.#wall.nowMs() + timeoutMs;
    for (;;) {
      if (await isMet()) return true;
      if (this.#wall.nowMs() > endMs) return false;
      await this.#pause(POLL_MS);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#wall.after(ms, resolve, true));
  }
}

const OBSERVATIONS: Readonly<
  Partial<Record<Probe, (this: AppObserver) => Promise<Observation | undefined>>>
> = {
  duplicate: AppObserver.prototype.observeDuplicate,
  known_id: AppObserver.prototype.observeKnownId,
  reordered: AppObserver.prototype.observeReordered,
  retry: AppObserver.prototype.observeRetry,
  simultaneous: AppObserver.prototype.observeSimultaneous,
  burst: AppObserver.prototype.observeBurst,
  null_fields: AppObserver.prototype.observeNullFields,
  foreign_charge: AppObserver.prototype.observeForeignCharge,
  other_mode: AppObserver.prototype.observeOtherMode,
  amount: AppObserver.prototype.observeAmount,
  early: AppObserver.prototype.observeEarly,
};
