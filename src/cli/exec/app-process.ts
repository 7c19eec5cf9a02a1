import type { AttemptWrapper } from "../../core/delivery/sender.js";
import { UserError } from "../../core/schema/user-error.js";
import { pause } from "../../core/time/timers.js";
import { monotonicMs, systemWallClock } from "../../core/time/wall-clock.js";
import type { RaceSide, WebhookOccurrence } from "../../tools/explore/run-record.js";
import type { KillableApp } from "../../tools/explore/sandbox/killable-app.js";
import { isListening } from "../app-command.js";
import { commandText, type ExecPlan } from "./plan.js";

/** Maximum time until the app listens. */
const START_MS = 60_000;
const POLL_MS = 50;
/** Longer than the usual lease of a queue on a job, which is a minute at most. */
const LEASE_MS = 65_000;

interface KillMoment extends WebhookOccurrence {
  readonly side: RaceSide;
  readonly events: Set<string>;
}

/** The app of `exec --explore`: its command as a process that can be killed and started again. */
export class AppProcess implements KillableApp {
  readonly #plan: ExecPlan;
  readonly #url: string;
  readonly #environment: NodeJS.ProcessEnv;
  #ended: Promise<number> = Promise.resolve(0);
  #up: Promise<void> = Promise.resolve();
  #moment: KillMoment | undefined;
  /** Event type → wall time in which the app last handled such a webhook. */
  readonly #handlingMs = new Map<string, number>();

  constructor(plan: ExecPlan, url: string, environment: NodeJS.ProcessEnv) {
    this.#plan = plan;
    this.#url = url;
    this.#environment = environment;
  }

  get ended(): Promise<number> {
    return this.#ended;
  }

  /** Starts the command and waits until it listens. Throws after `START_MS`, or if the command ends before. */
  async start(): Promise<void> {
    const { command, runner } = this.#plan;
    let code: number | undefined;
    this.#ended = runner.run(command, this.#environment, "stderr");
    void this.#ended.then((with_) => (code = with_));
    const untilMs = monotonicMs() + START_MS;
    while (!(await isListening(this.#url))) {
      if (code !== undefined)
        throw new UserError(`${commandText(command)} ended with ${code} before it listened at ${this.#url}`);
      if (monotonicMs() > untilMs)
        throw new UserError(
          `${commandText(command)} does not listen at ${this.#url} after ${START_MS / 1_000} s; --app has to be its address`,
        );
      await pause(POLL_MS);
    }
  }

  async end(): Promise<void> {
    await this.#up;
    await this.#plan.runner.killCommand();
    await this.#ended;
  }

  untilUp(): Promise<void> {
    return this.#up;
  }

  untilLeasesEnd(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const cancel = systemWallClock.after(signal?.aborted === true ? 0 : LEASE_MS, resolve, true);
      const stop = () => {
        cancel();
        resolve();
      };
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  restart(): Promise<void> {
    const killed = this.#plan.runner.killCommand(0);
    // If it does not start, the next call says that nothing listens.
    this.#up = killed.then(() => this.#ended).then(() => this.start().catch(() => {}));
    return this.#up;
  }

  restartAt(webhook: WebhookOccurrence, side: RaceSide): () => void {
    this.#moment = { ...webhook, side, events: new Set() };
    return () => {
      this.#moment = undefined;
    };
  }

  /** Sends no webhook while the app is down, and ends no attempt before it is up again, so that time stands still. */
  readonly aroundAttempt: AttemptWrapper = async ({ event_id, type }, send) => {
    await this.#up;
    const side = this.#sideAt(event_id, type);
    const beganMs = monotonicMs();
    const sent = send();
    await (side === "first" ? Promise.race([sent, pause((this.#handlingMs.get(type) ?? 0) / 2)]) : sent);
    if (side === undefined) this.#handlingMs.set(type, monotonicMs() - beganMs);
    else void this.restart();
    await this.#up;
    return sent;
  };

  #sideAt(id: string, type: string): RaceSide | undefined {
    const moment = this.#moment;
    if (moment?.type !== type || moment.events.size > moment.earlierCount) return undefined;
    return moment.events.add(id).size > moment.earlierCount ? moment.side : undefined;
  }
}
