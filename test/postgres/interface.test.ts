import { afterAll, beforeAll, describe } from "vitest";
import { stateOf } from "../support/api-client.js";
import { lacksPostgres, Postgres } from "../support/postgres.js";

// The interface's tests about state once more, with each sandbox in a schema of its own.

let postgres: Postgres;
beforeAll(async () => {
  postgres = await Postgres.start();
  stateOf.data = () => postgres.url("lease=60s");
});
afterAll(async () => {
  stateOf.data = undefined;
  await postgres.end();
});

for (const file of ["control/import", "http/reset", "http/settlement", "webhooks/reset"])
  describe.skipIf(lacksPostgres)(file, async () => {
    // The query makes it another module than the one of that file's own run.
    await import(/* @vite-ignore */ `../${file}.test.ts?postgres`);
  });
