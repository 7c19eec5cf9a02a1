import { durationToMs } from "../../../core/schema/time.js";
import { UserError } from "../../../core/schema/user-error.js";
import type { Client } from "../../scenario/running/client.js";
import { call, settled } from "../functions/acts.js";
import type { Driver } from "../functions/driver.js";
import { customerOf, type ExploreFlow } from "../functions/flow.js";
import type { LocalSandbox } from "../functions/local-sandbox.js";
import { Looks } from "../functions/looks.js";
import { RunState } from "../functions/run-state.js";
import type { ListedView } from "../sandbox/seen-views.js";
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
export function functionLives(options: FunctionLivesOptions): LifeHost {
  const { name, flow, sandbox, driver, client, free, listed } = options;
  const { lives } = flow;
  if (lives === undefined) throw new UserError(`${name}: the flow has no lives`);
  const looks = new Looks(options);
  return {
    client,
    free,
    rowsSince: sandbox.rowsSince,
    hasJob: flow.tick !== undefined,
    hasAttempt: lives.attempt !== undefined,
    allowsRefund: flow.allow?.refunded !== undefined,
    newestCharge: undefined,

    async begin() {
      await driver.whenFree();
      driver.beginRun([], sandbox.nowMs(), undefined);
      await driver.until(call(() => flow.setup?.()));
    },

    newOrder(email) {
      const customer = customerOf(sandbox.runIdOf(name));
      return email === undefined ? customer : { ...customer, email };
    },

    async press(act, order, tries) {
      const press = (_label: string, work: () => unknown) => call(work) as never;
      let isDone = false;
      for (let tried = 0; tried < tries && !isDone; tried++) {
        const work = call(() => lives[act]!({ ...order, press })).then(() => {
          isDone = true;
        });
        await settled(driver.until(work));
      }
      return isDone;
    },

    until: (work) => driver.until(work),

    together: (one, other) =>
      driver.alone(async () => {
        const release = sandbox.hold({});
        const held = one();
        held.catch(() => {});
        await driver.whenStill();
        await settled(driver.until(other(), release));
        release();
        await driver.until(held);
      }),

    advance: (by) => driver.advance(durationToMs(by)),

    useRules: (rules) => sandbox.useRules(rules),

    async tick() {
      await settled(driver.until(call(() => flow.tick?.())));
      await driver.whenStill();
    },

    async look(order) {
      const views = await looks.look(new RunState(order.id, undefined, sandbox.nowMs(), () => order));
      return Object.keys(flow.see).map((view, index) => {
        const { body, status } = views[index]!;
        return { name: view, body: listed(body, index, order.id), status };
      });
    },
  };
}
