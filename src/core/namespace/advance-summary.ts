import type { Attempt, Change, Delivery, EventRecord, LedgerEntry } from "../engine/records.js";
import type { State } from "../engine/state.js";
import { failureText, receiverName } from "../reports/delivery-text.js";
import type { AdvanceReport, Happened } from "../schema/control-insight-responses.js";
import { isSuccessStatus } from "../schema/http-response.js";
import { isRefusal, type Refusal } from "../schema/refusals.js";
import { iso } from "../schema/time.js";
import type { AdvanceTarget } from "../time/advance-state.js";
import type { AppWaits } from "../time/clock-control.js";
import type { Namespace } from "./namespace.js";

/** Maximum number of things that a report lists. */
const LISTED_MAX = 20;

export async function advanceAndReport(
  namespace: Namespace,
  target: AdvanceTarget,
  waits?: AppWaits,
): Promise<AdvanceReport | Refusal> {
  const { engine, clock } = namespace;
  const summary = new AdvanceSummary(namespace.nowMs());
  const stop = engine.events.on("changed", (change) => summary.note(change, engine.state));
  try {
    const progress = await clock.advance(target, undefined, waits);
    return isRefusal(progress) ? progress : { ...progress, ...summary.report() };
  } finally {
    stop();
  }
}

/** Things that happened while time was advanced: statuses, settlements and attempts, counted, and the first of them. */
class AdvanceSummary {
  readonly #counts: Record<string, number> = {};
  readonly #first: Happened[] = [];
  readonly #failures: Happened[] = [];
  readonly #from: string;
  // A delivery can be stored again without a new attempt.
  readonly #counted = new WeakSet<Attempt>();

  constructor(fromMs: number) {
    this.#from = iso(fromMs);
  }

  note({ puts }: Change, state: State): void {
    for (const [collection, , record] of puts) {
      if (record === null) continue;
      if (collection === "events") this.#noteEvent(record as EventRecord);
      else if (collection === "entries") this.#noteEntry(record as LedgerEntry);
      else if (collection === "deliveries") this.#noteDelivery(record as Delivery, state);
    }
  }

  #noteEvent({ type: kind, at, object_id, event_id, body }: EventRecord): void {
    this.#add(kind, () => {
      const { failure_reason } = Object(JSON.parse(body).data) as { failure_reason?: string | null };
      return happened({ at, kind, id: object_id ?? event_id, error: failure_reason ?? null });
    });
  }

  #noteEntry({ kind, at, object_id: id }: LedgerEntry): void {
    if (kind === "settlement") this.#add(kind, () => happened({ at, kind, id }));
  }

  #noteDelivery(delivery: Delivery, state: State): void {
    const attempt = delivery.attempts.at(-1);
    // The response to a webhook that was sent before may come now or earlier, as fast as the app is.
    if (attempt === undefined || attempt.at <= this.#from || this.#counted.has(attempt)) return;
    this.#counted.add(attempt);
    const isAccepted = isSuccessStatus(attempt.status);
    const kind = isAccepted ? "webhook.delivered" : "webhook.failed";
    const { delivery_id: id, object_id: object, event_type: type, webhook_id } = delivery;
    this.#add(kind, () => {
      const receiver = receiverName(state.get("endpoints", webhook_id));
      const error = isAccepted ? null : failureText(attempt);
      return happened({ at: attempt.at, kind, id, object, type, receiver, error });
    });
  }

  /** @param describe is called only for what is listed */
  #add(kind: string, describe: () => Happened): void {
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
    const isListed = this.#first.length < LISTED_MAX;
    const isFailure = kind === "webhook.failed" && this.#failures.length < LISTED_MAX;
    if (!isListed && !isFailure) return;
    const item = describe();
    if (isListed) this.#first.push(item);
    if (isFailure) this.#failures.push(item);
  }

  report(): Pick<AdvanceReport, "counts" | "first" | "failures"> {
    return { counts: this.#counts, first: this.#first, failures: this.#failures };
  }
}

function happened(facts: Pick<Happened, "at" | "kind" | "id"> & Partial<Happened>): Happened {
  return { object: null, type: null, receiver: null, error: null, ...facts };
}
