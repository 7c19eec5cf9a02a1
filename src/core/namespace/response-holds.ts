import type { Engine } from "../engine/engine.js";
import type { Change, Delivery } from "../engine/records.js";
import { durationToMs } from "../schema/time.js";
import type { AppActivity } from "../time/app-activity.js";
import { onDeadline, type WallClock } from "../time/wall-clock.js";
import type { MatchedFault } from "./fault-injector.js";

interface AnswerHoldsOptions {
  readonly engine: Engine;
  readonly wall: WallClock;
  /** Longest hold of a response, in wall time. */
  readonly limitMs: number;
  readonly activity: AppActivity;
  readonly closing: AbortSignal;
}

/** Calls the callback once a condition is met; returns a function that stops watching. */
type Watch = (onMet: () => void) => () => void;

export class ResponseHolds {
  readonly #options: AnswerHoldsOptions;

  constructor(options: AnswerHoldsOptions) {
    this.#options = options;
  }

  async holdUntilLimit(client: AbortSignal): Promise<void> {
    await this.#wait(this.#options.limitMs, client);
  }

  /**
   * Waits until the response may be sent, the client disconnects, or the rule is removed.
   *
   * @param json body of the response, with the ID of its object
   * @returns false if the namespace closes first
   */
  async holdForRule(
    { rule, source }: Pick<MatchedFault, "rule" | "source">,
    json: string,
    client: AbortSignal,
  ): Promise<boolean> {
    const { hold, at_most, delay_answer } = rule;
    const { closing, activity } = this.#options;
    const limitMs = Math.min(this.#options.limitMs, at_most === undefined ? Infinity : durationToMs(at_most));
    const untilRemoved: Watch = (onMet) => this.#watchRule(source, onMet);
    if (hold === "webhook" || hold === "idle") {
      const objectId = readObjectId(json);
      const untilAnswered: Watch = (onMet) => this.#watchAnswers(objectId!, hold, onMet);
      if (objectId !== undefined && this.#hasEndpoint(objectId))
        await activity.excludeHeldCall(this.#wait(limitMs, client, untilRemoved, untilAnswered));
    } else if (hold !== undefined)
      await activity.excludeHeldCall(this.#wait(Math.min(durationToMs(hold), limitMs), client, untilRemoved));
    if (delay_answer !== undefined) await this.#wait(durationToMs(delay_answer), client);
    return !closing.aborted;
  }

  #hasEndpoint(objectId: string): boolean {
    const { state } = this.#options.engine;
    const mode = (state.get("charges", objectId) ?? state.get("withdrawals", objectId))?.mode;
    return state.endpoints().some((endpoint) => endpoint.enabled && endpoint.mode === mode);
  }

  /** Calls `onMet` when the fault or scenario is changed or removed. */
  #watchRule(source: string, onMet: () => void): () => void {
    return this.#options.engine.events.on("stored", ({ puts }: Change) => {
      if (puts.some(([name, key]) => (name === "faults" || name === "scenarios") && key === source)) onMet();
    });
  }

  /** Calls `onMet` after a receiver has answered a new webhook of the object. `idle` also waits for pending work. */
  #watchAnswers(objectId: string, hold: "webhook" | "idle", onMet: () => void): () => void {
    const { engine, wall } = this.#options;
    const sinceMs = wall.nowMs();
    let isAnswered = false;
    return engine.events.on("stored", ({ puts }: Change) => {
      for (const [name, , record] of puts) {
        const delivery = name === "deliveries" ? (record as Delivery | null) : null;
        if (delivery?.object_id !== objectId) continue;
        const last = delivery.attempts.at(-1);
        if (last?.status != null && Date.parse(last.sent_at) >= sinceMs) isAnswered = true;
      }
      if (isAnswered && (hold === "webhook" || this.#isAtRest(objectId))) onMet();
    });
  }

  #isAtRest(objectId: string): boolean {
    const { state } = this.#options.engine;
    const planned =
      state.get("charges", objectId)?.tasks.timeline ?? state.get("withdrawals", objectId)?.timeline_task;
    if (planned !== undefined && planned !== null) return false;
    const deliveries = state.eventsOf(objectId).flatMap(({ event_id }) => state.deliveriesOf(event_id));
    return deliveries.every(({ status }) => status !== "pending");
  }

  /** Waits for the timeout, a watched condition, the client's disconnect or the namespace's end. */
  #wait(timeoutMs: number, client: AbortSignal, ...watches: readonly Watch[]): Promise<void> {
    const { wall, closing } = this.#options;
    if (client.aborted || closing.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancelTimeout();
        for (const stop of stopWatching) stop();
        client.removeEventListener("abort", end);
        resolve();
      };
      const cancelTimeout = onDeadline(wall, { timeoutMs, signal: closing }, end);
      const stopWatching = watches.map((watch) => watch(end));
      client.addEventListener("abort", end);
    });
  }
}

export function readObjectId(json: string): string | undefined {
  const { charge_id, withdrawal_id } = JSON.parse(json) as Record<string, unknown>;
  const id = charge_id ?? withdrawal_id;
  return typeof id === "string" ? id : undefined;
}
