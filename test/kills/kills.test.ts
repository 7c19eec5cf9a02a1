import { join } from "node:path";
import { expect, it } from "vitest";
import { Random } from "../simulation/random.js";
import { temporaryFolder } from "../support/folders.js";
import { Trial } from "./server.js";

/** Set the variable for a longer search. */
const KILLS = Number(process.env.PAYMENTS_SANDBOX_KILLS ?? 10);
const SEED = process.env.PAYMENTS_SANDBOX_KILLS_SEED ?? "spring";

it(`a process that is killed ${KILLS} times loses no acknowledged change`, {
  timeout: 120_000 + KILLS * 30_000,
}, async () => {
  const trial = new Trial(join(temporaryFolder(), "d.json"), new Random(SEED));
  for (let life = 1; life <= KILLS; life++) {
    try {
      await trial.live();
    } catch (error) {
      throw new Error(`life ${life} of seed ${SEED}: ${(error as Error).message}`, { cause: error });
    }
  }
  await trial.end();
  const { calls, ...tally } = trial.tally;
  if (process.env.PAYMENTS_SANDBOX_KILLS !== undefined) console.log(tally, calls);
  // Most calls should succeed.
  const [done, refused] = [...calls.values()].reduce(
    ([d, r], one) => [d + one.done, r + one.refused],
    [0, 0],
  );
  expect(refused).toBeLessThanOrEqual(done / 9);
});
