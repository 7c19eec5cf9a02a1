import { IN_PROCESS_FETCH } from "../../../src/core/client/control-client.js";
import type { ExploreFlow, Sandbox } from "../../../src/library/index.js";
import type { LifeOrder } from "../../../src/tools/explore/lives/fields.js";
import type { LifeHost } from "../../../src/tools/explore/lives/life.js";
import { readRowsOf } from "../../../src/tools/explore/sandbox/observation.js";
import { Client } from "../../../src/tools/scenario/running/client.js";

/** An app of functions in which lives are carried out by nothing but the library. */
export function plainHost(sandbox: Sandbox, { lives, see, setup }: ExploreFlow): LifeHost {
  let orders = 0;
  const client = new Client({ fetch: sandbox[IN_PROCESS_FETCH] });
  const press = (_label: string, act: () => unknown) => act() as never;
  const until = async <Result>(work: Promise<Result>): Promise<Result> => {
    const result = await work;
    await sandbox.advance("1s");
    return result;
  };
  return {
    hasAttempt: lives!.attempt !== undefined,
    free: [],
    hasJob: false,
    client,
    rowsSince: readRowsOf(client),
    newestCharge: undefined,
    until,
    begin: async () => void (await setup?.()),
    newOrder: (email) => {
      const id = `order-${++orders}`;
      return { id, email: email ?? `${id}@shop.test` };
    },
    press: (act, order) =>
      until(
        (async () => lives![act]!({ ...order, press }))().then(
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
    tick: async () => {},
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
