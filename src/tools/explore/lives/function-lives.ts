import { durationToMs } from "../../../core/schema/time.js";
import { UserError } from "../../../core/schema/user-error.js";
import type { Client } from "../../scenario/running/client.js";
import { call, settled } from "../functions/acts.js";
import type { Driver } from "../functions/driver.js";
import { customerOf, type ExploreFlow, type ExploreLives } from "../functions/flow.js";
import type { LocalSandbox, RunRules } from "../functions/local-sandbox.js";
import { Looks } from "../functions/looks.js";
import { RunState } from "../functions/run-state.js";
import type { ReadRows } from "../sandbox/observation.js";
import type { ListedView } from "../sandbox/seen-views.js";
import type { LifeOrder, LifeView } from "./fields.js";
import type { LifeHost } from "./life.js";

interface FunctionLivesOptions {
  readonly name: string;
  readonly flow: ExploreFlow;
  readonly sandbox: LocalSandbox;
  readonly driver: Driver;
  readonly client: Client;
  readonly free: readonly string[];
  readonly listed: ListedView;
}

/** An app of this process in which lives are carried out. */
export class FunctionLives implements LifeHost {
  readonly hasAttempt: boolean;
  readonly hasJob: boolean;
  readonly client: Client;
  readonly rowsSince: ReadRows;
  readonly free: readonly string[];
  readonly allowsRefund: boolean;
  newestCharge: string | undefined;
  readonly #options: FunctionLivesOptions;
  readonly #lives: ExploreLives;
  readonly #looks: Looks;

  constructor(options: FunctionLivesOptions) {
    const { flow, client, name } = options;
    if (flow.lives === undefined) throw new UserError(`${name}: the flow has no lives`);
    this.client = client;
    this.free = options.free;
    this.allowsRefund = flow.allow?.refunded !== undefined;
    this.#options = options;
    this.#lives = flow.lives;
    this.#looks = new Looks(options);
    this.hasJob = flow.tick !== undefined;
    this.rowsSince = options.sandbox.rowsSince;
    this.hasAttempt = flow.lives.attempt !== undefined;
  }

  async begin(): Promise<void> {
    const { driver, flow, sandbox } = this.#options;
    await driver.whenFree();
    driver.beginRun([], sandbox.nowMs(), undefined);
    await driver.until(call(() => flow.setup?.()));
  }

  newOrder(email?: string): LifeOrder {
    const { sandbox, name } = this.#options;
    const { id, email: own } = customerOf(sandbox.runIdOf(name));
    return { id, email: email ?? own };
  }

  async press(act: "order" | "attempt", order: LifeOrder, tries: number): Promise<boolean> {
    const press = (_label: string, work: () => unknown) => call(work) as never;
    let isDone = false;
    for (let tried = 0; tried < tries && !isDone; tried++) {
      const work = call(() => this.#lives[act]!({ ...order, press })).then(() => {
        isDone = true;
      });
      await settled(this.until(work));
    }
    return isDone;
  }

  until<Result>(work: Promise<Result>): Promise<Result> {
    return this.#options.driver.until(work);
  }

  together(one: () => Promise<void>, other: () => Promise<void>): Promise<void> {
    const { driver, sandbox } = this.#options;
    return driver.alone(async () => {
      const release = sandbox.hold({});
      const held = one();
      held.catch(() => {});
      await driver.whenStill();
      await settled(driver.until(other(), release));
      release();
      await driver.until(held);
    });
  }

  advance(by: string): Promise<void> {
    return this.#options.driver.advance(durationToMs(by));
  }

  useRules(rules: RunRules): void {
    this.#options.sandbox.useRules(rules);
  }

  async tick(): Promise<void> {
    const { driver, flow } = this.#options;
    await settled(driver.until(call(() => flow.tick?.())));
    await driver.whenStill();
  }

  async look(order: LifeOrder): Promise<LifeView[]> {
    const { flow, sandbox, listed } = this.#options;
    const run = new RunState(order.id, undefined, sandbox.nowMs(), () => order);
    const views = await this.#looks.look(run);
    return Object.keys(flow.see).map((name, index) => {
      const { body, status } = views[index]!;
      return { name, body: listed(body, index, order.id), status };
    });
  }
}
