import type { Answer, Probe } from "../../core/schema/receiver-report.js";
import type { Wall } from "../../core/time/wall.js";
import { metadataKeysOf, namesOf, observedUrl } from "./observation.js";
import { ask } from "./post.js";
import { type RealCharge, RealCharges } from "./real-charges.js";
import type { SampleEvent } from "./samples.js";
import type { Session } from "./session.js";
import { type EyeOptions, FIRST_SIGHT, type Sight } from "./sight.js";
import { changesOf, deviationOf, effectOf, pathsOf, type View, viewOf } from "./view.js";

/** An app that works after it has answered is waited for so long, and looked at so often. */
const PATIENCE_MS = 5_000;
/** Once it is known how long that takes, a fault is told after twenty times as long, and at least so much. */
const LEAST_PATIENCE_MS = 3_000;
const LOOK_EVERY_MS = 25;
const SETTLE_MS = 100;

/** Amounts no charge has. */
const FALSE_AMOUNT = "73519.37";
const BURST = 10;
const COPIES = 5;
const RETRIES = 3;

interface Patient {
  readonly charge: RealCharge;
  readonly before: View;
}

/** Reads the app's own answer about real charges before and after their events (docs/webhooks.md: with eyes). */
export class Eyes {
  readonly #session: Session;
  readonly #charges: RealCharges;
  readonly #observe: string;
  readonly #receiver: URL;
  readonly #wall: Wall;
  readonly #timeoutMs: number;
  readonly #patients = new Map<string, Patient>();
  readonly #opening: Patient[] = [];
  /** Paths that change by themselves, or from charge to charge. */
  readonly #ignored = new Set<string>();
  #usual: View = new Map();
  #blind: Sight | undefined;
  #slowestMs = 0;

  private constructor(session: Session, charges: RealCharges, { observe }: EyeOptions) {
    const { url, wall, timeoutMs } = session.options;
    this.#session = session;
    this.#charges = charges;
    this.#observe = observe;
    this.#receiver = new URL(url);
    this.#wall = wall;
    this.#timeoutMs = timeoutMs;
  }

  /** Opens them: the first events that a session sends are of real charges from now on. */
  static async open(session: Session, options: EyeOptions): Promise<Eyes> {
    const charges = await RealCharges.open(session.options, options);
    const eyes = new Eyes(session, charges, options);
    try {
      for (let count = 0; count < 2; count++) eyes.#opening.push(await eyes.#patient());
    } catch (error) {
      await charges.close();
      throw error;
    }
    let opened = 0;
    session.opening = () => eyes.#opening[opened++ % eyes.#opening.length]!.charge.events.COMPLETED;
    return eyes;
  }

  async close(): Promise<void> {
    await this.#charges.close();
  }

  /** Throws when what was seen cannot count. */
  refuseLimited(): Promise<void> {
    return this.#charges.refuseLimited();
  }

  /** What a probe's kind of event does to the app's view; undefined where answers tell all there is. */
  async see(probe: Probe): Promise<Sight | undefined> {
    const look = SIGHTS[probe];
    if (look === undefined) return undefined;
    if (probe !== FIRST_SIGHT && this.#blind !== undefined) return this.#blind;
    return look.call(this);
  }

  async seeDuplicate(): Promise<Sight> {
    const [first, second] = [await this.#patient(), await this.#patient()];
    const effects: View[] = [];
    for (const patient of [first, second]) {
      const after = await this.#paid(patient);
      if (after === undefined) return this.#blind!;
      effects.push(effectOf(patient.before, after));
    }
    for (const path of pathsOf(...effects))
      if (effects[0]!.get(path) !== effects[1]!.get(path)) this.#ignored.add(path);
    this.#usual = effects[0]!;
    this.#patients.set("paid", second);
    const before = await this.#look(first.charge);
    await this.#deliver(first.charge.events.COMPLETED);
    const changes = changesOf(before, await this.#settled(first), this.#ignored);
    return changes.length === 0
      ? { seen: "the event sent again changed nothing" }
      : { seen: `the event sent again changed it: ${changes.join(", ")}`, fault: "handled_twice" };
  }

  async seeSimultaneous(): Promise<Sight> {
    const patient = await this.#patient();
    const { COMPLETED } = patient.charge.events;
    await Promise.all(Array.from({ length: COPIES }, () => this.#deliver(COMPLETED)));
    await this.#settled(patient);
    const wrong = await this.#deviation(patient);
    return wrong === undefined
      ? { seen: "copies at once did what one does" }
      : { seen: `${COPIES} copies at once: ${wrong}`, fault: "handled_at_once" };
  }

  async seeReordered(): Promise<Sight> {
    const paid = this.#patients.get("paid")!;
    const before = await this.#look(paid.charge);
    for (const late of ["PROCESSING", "AWAITING_PAYMENT"] as const)
      await this.#deliver(paid.charge.events[late]);
    const changes = changesOf(before, await this.#settled(paid), this.#ignored);
    return changes.length === 0
      ? { seen: "events of before the payment changed nothing" }
      : { seen: `an event of before the payment changed it: ${changes.join(", ")}`, fault: "goes_back" };
  }

  async seeKnownId(): Promise<Sight> {
    const patient = await this.#patient();
    const { COMPLETED } = patient.charge.events;
    await this.#session.send("forged", COMPLETED, { secrets: [this.#session.unknownSecret] });
    const changes = changesOf(patient.before, await this.#settled(patient), this.#ignored);
    if (changes.length > 0)
      return { seen: `a forged event changed it: ${changes.join(", ")}`, fault: "forged_acted_upon" };
    await this.#accepted(COMPLETED);
    const wrong = await this.#deviation(patient);
    return wrong === undefined
      ? { seen: "a forged event changed nothing, the genuine one with its id was taken" }
      : { seen: `after a forged event with its id, the genuine one: ${wrong}`, fault: "forged_id_counts" };
  }

  async seeRetry(): Promise<Sight> {
    const crashed = this.#opening.find(
      ({ charge }) => charge.events.COMPLETED.id === this.#session.crashed?.event.id,
    );
    const patient = crashed ?? (await this.#patient());
    const first =
      crashed === undefined
        ? await this.#charges.whileUnreadable(patient.charge, () =>
            this.#deliver(patient.charge.events.COMPLETED),
          )
        : undefined;
    const hasFailed = first === undefined || first.kind !== "accepted";
    if (first !== undefined && hasFailed) await this.#accepted(patient.charge.events.COMPLETED);
    const wrong = await this.#deviation(patient);
    if (wrong !== undefined) {
      const when = hasFailed ? "sent again after it failed" : "accepted while the sandbox returned 500";
      return { seen: `an event ${when}: ${wrong}`, fault: "lost" };
    }
    return hasFailed
      ? { seen: "an event it had failed at was done when it came again" }
      : {
          seen: "It did its work while the sandbox returned 500 for reads of the charge, so no failure could be provoked.",
          isUnclear: true,
        };
  }

  async seeBurst(): Promise<Sight> {
    const patients: Patient[] = [];
    for (let count = 0; count < BURST; count++) patients.push(await this.#patient());
    const answers = await Promise.all(patients.map(({ charge }) => this.#deliver(charge.events.COMPLETED)));
    const taken = patients.filter((_patient, index) => answers[index]!.kind === "accepted");
    const deviations = await Promise.all(taken.map((patient) => this.#deviation(patient)));
    const wrong = deviations.filter((one) => one !== undefined);
    return wrong.length === 0
      ? { seen: "all it accepted at once was done" }
      : { seen: `${wrong.length} of ${BURST} accepted at once: ${wrong[0]}`, fault: "lost_in_burst" };
  }

  async seeAmount(): Promise<Sight> {
    const patient = await this.#patient();
    const { id, body } = patient.charge.events.COMPLETED;
    const amounts = /"(amount|settlement_amount)":"[\d.]+"/g;
    await this.#deliver({ id, body: body.replace(amounts, `"$1":"${FALSE_AMOUNT}"`) });
    const values = [...(await this.#settled(patient)).values()];
    if (isAmountIn(values, Number(FALSE_AMOUNT)))
      return { seen: `it shows ${FALSE_AMOUNT}, which only the event said`, fault: "amount_trusted" };
    const { charge } = this.#patients.get("paid")!;
    const shown = [...(await this.#look(charge)).values()];
    return [charge.amount, charge.settlement_amount].some((amount) => isAmountIn(shown, Number(amount)))
      ? { seen: `it does not show ${FALSE_AMOUNT}, which only the event said` }
      : {
          seen: "Its response shows no amount: check yourself that it does not trust the event's.",
          isUnclear: true,
        };
  }

  /** Undefined where the app makes no calls that could be overtaken. */
  async seeEarly(): Promise<Sight | undefined> {
    const found = await this.#charges.whileHeld((charge) => this.#deliver(charge.events.COMPLETED));
    if (found === undefined) return undefined;
    const { charge, result } = found;
    if (result.kind !== "accepted") await this.#accepted(charge.events.COMPLETED);
    // Nothing could be seen of it before, but what is seen of any that has not been paid.
    const wrong = await this.#deviation({ charge, before: this.#patients.get("paid")!.before });
    return wrong === undefined
      ? { seen: "an event that arrived before the response to its call was handled" }
      : { seen: `an event before the response to its call: ${wrong}`, fault: "lost_early" };
  }

  async #patient(): Promise<Patient> {
    const charge = await this.#charges.make(metadataKeysOf(this.#observe));
    return { charge, before: await this.#look(charge) };
  }

  #deliver(event: SampleEvent): Promise<Answer> {
    return this.#session.send("a real charge's event", event);
  }

  /** Sends it until it is taken, as the service would; the last answer. */
  async #accepted(event: SampleEvent): Promise<Answer> {
    let answer = await this.#deliver(event);
    for (let again = 0; again < RETRIES && answer.kind !== "accepted"; again++)
      answer = await this.#deliver(event);
    return answer;
  }

  /** What the view becomes when a charge is paid; undefined, and blind from then on, where nothing becomes of it. */
  async #paid(patient: Patient): Promise<View | undefined> {
    const { charge, before } = patient;
    await this.#pause(SETTLE_MS);
    for (const path of pathsOf(before, await this.#look(charge)))
      if (before.get(path) !== (await this.#look(charge)).get(path)) this.#ignored.add(path);
    const answer = await this.#accepted(charge.events.COMPLETED);
    const startMs = this.#wall.nowMs();
    const isSeen = await this.#until(
      async () => changesOf(before, await this.#look(charge), this.#ignored).length > 0,
    );
    this.#slowestMs = Math.max(this.#slowestMs, this.#wall.nowMs() - startMs);
    if (isSeen) return this.#settled(patient);
    const { href } = observedUrl(this.#observe, this.#receiver, charge);
    const status = (await this.#ask(charge)).status ?? "no answer";
    const taken = answer.status ?? answer.error;
    this.#blind = {
      seen: `GET ${href} (${status}) is the same before and after the charge is paid (${taken})`,
      fault: "nothing_seen",
    };
    return undefined;
  }

  /** How a charge's view differs from that of any paid one, once it has had its time. */
  async #deviation(patient: Patient): Promise<string | undefined> {
    let wrong: string | undefined;
    await this.#until(async () => {
      const effect = effectOf(patient.before, await this.#look(patient.charge));
      wrong = deviationOf(effect, this.#usual, this.#ignored);
      return wrong === undefined;
    });
    return wrong;
  }

  /** The view after what an event may still set off. */
  async #settled({ charge }: Patient): Promise<View> {
    await this.#pause(Math.max(SETTLE_MS, 3 * this.#slowestMs));
    return this.#look(charge);
  }

  async #look(charge: RealCharge): Promise<View> {
    return viewOf(await this.#ask(charge), Object.values(namesOf(charge)), this.#wall.nowMs());
  }

  #ask(charge: RealCharge): Promise<Answer> {
    const url = observedUrl(this.#observe, this.#receiver, charge);
    const request = { method: "GET", sent: "a look", attempt: 1, eventId: "", headers: {}, body: "" };
    return ask(url, request, this.#timeoutMs, this.#wall);
  }

  async #until(isSo: () => Promise<boolean>): Promise<boolean> {
    const isKnown = this.#usual.size > 0;
    const patienceMs = isKnown ? Math.max(LEAST_PATIENCE_MS, 20 * this.#slowestMs) : PATIENCE_MS;
    const endMs = this.#wall.nowMs() + patienceMs;
    for (;;) {
      if (await isSo()) return true;
      if (this.#wall.nowMs() > endMs) return false;
      await this.#pause(LOOK_EVERY_MS);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#wall.after(ms, resolve, true));
  }
}

/** In units or in hundredths. */
function isAmountIn(values: readonly unknown[], amount: number): boolean {
  return values.some((value) => value === amount || value === Math.round(amount * 100));
}

const SIGHTS: Readonly<Partial<Record<Probe, (this: Eyes) => Promise<Sight | undefined>>>> = {
  duplicate: Eyes.prototype.seeDuplicate,
  known_id: Eyes.prototype.seeKnownId,
  reordered: Eyes.prototype.seeReordered,
  retry: Eyes.prototype.seeRetry,
  simultaneous: Eyes.prototype.seeSimultaneous,
  burst: Eyes.prototype.seeBurst,
  amount: Eyes.prototype.seeAmount,
  early: Eyes.prototype.seeEarly,
};
