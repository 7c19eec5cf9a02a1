import { expect } from "vitest";
import { Random } from "../simulation/random.js";
import { atEnd } from "../support/lifetime.js";
import { itOnPostgres, Postgres } from "../support/postgres.js";
import { Trial } from "./trial.js";

/** `npm run kills` runs 100. */
const ROUNDS = Number(process.env.PAYMENTS_SANDBOX_ROUNDS ?? 3);
const SEED = process.env.PAYMENTS_SANDBOX_ROUNDS_SEED ?? "summer";

itOnPostgres(
  `${ROUNDS} kills, pauses, restarts and refused statements under load lose no answer, apply none twice and store no refused one`,
  { timeout: 240_000 + ROUNDS * 60_000 },
  async () => {
    const postgres = await Postgres.start();
    atEnd(() => postgres.end());
    const trial = await Trial.begin(postgres, new Random(SEED));
    await trial.run(ROUNDS);
    if (process.env.PAYMENTS_SANDBOX_ROUNDS !== undefined) console.log(trial.tally);
    // Each of the five namespaces moves to another process at least once.
    expect(trial.tally.takeovers).toBeGreaterThan(ROUNDS < 20 ? 4 : ROUNDS);
  },
);
