import { createHash } from "node:crypto";
import { createSandbox, type Sandbox } from "../../src/library/index.js";
import { RATES } from "../support/contract.js";
import { REFUSING_URL, Receiver } from "../support/receiver-server.js";
import { audit, auditLedger, auditPostings } from "./audit.js";
import { RETRY_AFTER_S } from "./audit-deliveries.js";
import { Client, type Lie } from "./client.js";
import { auditExport } from "./export.js";
import { type Ground, groundOf, type Terrain } from "./ground.js";
import { Model } from "./model.js";
import * as paying from "./paying.js";
import { Random } from "./random.js";
import * as running from "./running.js";
import { anyCharge, type World } from "./world.js";

/** Returns a number from 0 to 99, determined by the text. */
function lot(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0) % 100;
}

const START = "2026-02-01T08:00:00.000Z";

/** Weights of the actions. */
const ACTIONS = {
  pay: [22, paying.payWhitelabel],
  checkout: [6, paying.openCheckout],
  page: [8, paying.visitPage],
  hand: [7, paying.moveByHand],
  refund: [5, paying.refund],
  ahead: [4, paying.runAhead],
  bad: [4, paying.callBadly],
  advance: [26, running.advance],
  withdraw: [9, running.withdraw],
  moveWithdrawal: [3, running.moveWithdrawal],
  scenarios: [7, running.changeScenarios],
  rates: [2, running.changeRates],
  faults: [2, running.meetFaults],
  endpoints: [6, running.changeEndpoints],
  mailbox: [6, running.emptyMailbox],
  snapshot: [2, running.keepSnapshot],
  restore: [1, running.restore],
  reset: [1, running.reset],
  // These need files or a running clock.
  restart: [0, running.restart],
  elapse: [0, running.elapse],
  takeBack: [0, paying.takeBack],
  bounce: [0, running.bounce],
} satisfies Record<string, readonly [weight: number, act: (world: World) => Promise<unknown>]>;

const WEIGHTS = Object.fromEntries(
  Object.entries(ACTIONS).map(([name, [weight]]) => [name, weight]),
) as Record<keyof typeof ACTIONS, number>;

export class SimulationFailure extends Error {
  constructor(seed: string, client: Client, cause: unknown) {
    const trail = client.trail.slice(-60).join("\n");
    const said = cause instanceof Error ? cause.message : String(cause);
    super(
      `seed ${seed}: ${said}\nRun it again with PAYMENTS_SANDBOX_SIMULATION_SEED=${seed}\nThe calls:\n${trail}`,
      { cause },
    );
  }
}

/** Opens a namespace with its client and its model. */
async function worldOf(
  namespace: string,
  client: Client,
  ground: Ground,
  luck: Random,
  receivers: World["receivers"],
): Promise<World> {
  const known = await client.all("/_sandbox/scenarios");
  const scenarios = new Map(
    known.map(({ active, ...scenario }) => [scenario.name, { scenario, activated: active ? 1 : 0 }]),
  );
  const model = new Model(Date.parse(START), RATES, scenarios);
  return {
    namespace,
    client,
    model,
    ground,
    random: luck,
    receivers,
    initial: model.copy(),
    snapshots: new Map(),
    destinations: new Map(),
    destinationTypes: new Map(),
    ids: new Set(),
    mayRepeat: false,
    counter: 0,
    neighbours: [],
  };
}

/** Runs random actions on a sandbox and audits it after each of them. */
export async function simulate(seed: string, steps: number, lie?: Lie, terrain: Terrain = {}): Promise<void> {
  await using moody = await Receiver.open((received) => {
    const mood = lot(`${received.headers["webhook-id"]}|${moody.received.length % 3}`);
    if (mood < 15) received.response.destroy();
    else if (mood < 30) received.answer(503, { "retry-after": String(RETRY_AFTER_S) });
    else received.answer(mood < 45 ? 500 : 200);
  });
  await using gone = await Receiver.open((received) =>
    received.answer(received.event.type === "charge.failed" ? 410 : 200),
  );
  const receivers = { moody, gone, nobody: REFUSING_URL };
  await using elsewhere = await createSandbox({ clock: "manual" });
  const ground = await groundOf(terrain, seed, START);
  const trail: string[] = [];
  const hurdle = { hurdle: ground.hurdle, luck: new Random(`${seed}|hurdles`) };
  const client = new Client(ground.fetch, { lie, trail, ...(terrain.isFull ? hurdle : {}) });
  const weights = {
    ...WEIGHTS,
    ...(ground.restart === undefined ? {} : { restart: 4 }),
    ...(terrain.takesBack ? { takeBack: 15, bounce: 10, withdraw: 20 } : {}),
    ...(ground.wall === undefined ? {} : { advance: 0, elapse: WEIGHTS.advance }),
  };
  try {
    const random = new Random(seed);
    const worlds = [await worldOf("default", client, ground, random, receivers)];
    for (let number = 1; number <= (terrain.namespaces ?? 0); number++) {
      const namespace = `w${number}`;
      const clock = ground.wall === undefined ? "manual" : "real";
      await client.act("PUT", `/_sandbox/namespaces/${namespace}`, { clock, start_time: START });
      const own = new Client(ground.fetch, { lie, trail, namespace, ...(terrain.isFull ? hurdle : {}) });
      worlds.push(await worldOf(namespace, own, ground, random, receivers));
    }
    for (const world of worlds) world.neighbours.push(...worlds.filter((one) => one !== world));
    for (let step = 0; step < steps; step++) {
      const world = worlds[step % worlds.length]!;
      const name = random.weighed(weights);
      trail.push(`# ${step} ${name}`);
      await ACTIONS[name][1](world);
      for (const one of worlds) await audit(one.client, one.model);
      const charge = anyCharge(world);
      if (charge !== undefined) await auditPostings(world.client, world.model, charge.id);
      if (step % 10 === 9 || step === steps - 1)
        for (const one of worlds) await auditWhole(one, ground, elsewhere);
    }
  } catch (error) {
    throw new SimulationFailure(seed, client, error);
  } finally {
    await ground.close();
  }
}

async function auditWhole(
  { client, namespace }: World,
  { fetch, wall }: Ground,
  elsewhere: Sandbox,
): Promise<void> {
  await auditLedger(client);
  // On a running clock, due tasks would run there too.
  if (wall !== undefined) return;
  const state = (await new Client(fetch, { namespace }).get("/_sandbox/state")).json;
  await auditExport({ snapshot: () => state }, elsewhere);
}
