import { IN_PROCESS_FETCH } from "../../../src/core/client/control-client.js";
import type { ExploreFlow, Sandbox } from "../../../src/library/index.js";
import type { LifeOrder } from "../../../src/tools/explore/lives/fields.js";
import type { LifeHost } from "../../../src/tools/explore/lives/life.js";
import { Client } from "../../../src/tools/scenario/running/client.js";

/** An app of functions in which lives are carried out by nothing but the library. */
export function plainHost(sandbox: Sandbox, { lives, see }: ExploreFlow): LifeHost {
  let orders = 0;
  let customers: string[] = [];
  const press = (_label: string, act: () => unknown) => act() as never;
  const until = async <Result>(work: Promise<Result>): Promise<Result> => {
    const result = await work;
    await sandbox.advance("1s");
    return result;
  };
  return {
    hasAttempt: lives!.attempt !== undefined,
    free: [],
    client: new Client({ fetch: sandbox[IN_PROCESS_FETCH] }),
    newestCharge: undefined,
    until,
    begin: async () => {
      customers = [];
    },
    newOrder: (customer) => {
      const id = `order-${++orders}`;
      customers[customer] ??= `${id}@shop.test`;
      return { id, email: customers[customer] };
    },
    press: (act, order) =>
      until(
        Promise.resolve(lives![act]!({ ...order, press })).then(
          () => true,
          () => false,
        ),
      ),
    together: async (one, other) => {
      await one();
      await other();
    },
    advance: (by) => sandbox.advance(by).then(() => {}),
    useRules: async (rules) => {
      await sandbox.control("PUT", "/_sandbox/scenarios/lives", { ...rules });
      await sandbox.control("POST", "/_sandbox/scenarios/lives/activate");
    },
    settle: () => sandbox.advance("5d").then(() => {}),
    look: async (order: LifeOrder) =>
      Object.entries(see).map(([name, view]) => {
        try {
          return { name, body: view(order), status: 200 };
        } catch {
          return { name, body: {}, status: 404 };
        }
      }),
  };
}
