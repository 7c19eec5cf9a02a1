import { afterAll, beforeAll, describe } from "vitest";
import { stateOf } from "../support/api-client.js";
import { KeptConnections } from "../support/kept-connections.js";
import { lacksPostgres, Postgres } from "../support/postgres.js";

// The interface's tests about state once more, with each sandbox in a schema of its own.

/**
 * Left out:
 * - input, headers and wire format: http/{auth, bad-input, catalogue, config, conventions, doors, errors, fixtures,
 *   hints, host, one-connection, prototype-names, rails, rate-limit, router, state-memo}, control/{access, bodies, limits},
 *   openapi but for acceptance
 * - what is in memory on every storage: control/{advice, failed-tests, held-responses, insight, mishaps-met, stream}
 * - without a sandbox, or with a storage or process of their own: control/{candidates, diagrams, docs, flat, in-process,
 *   names-on-disk, polling}, state, webhooks/{connections, docs, receivers, signatures, storm, urls}
 */
const FILES: Readonly<Record<string, string>> = {
  http: "charges payins payouts reset settlement",
  webhooks: "delivery further-attempts reset",
  control: "events import namespaces reversals webhook-endpoints",
};
/** By `npm run test:postgres` only: a minute and a half more, for what these try in fewer steps. */
const MORE: typeof FILES = {
  http: "balances checkouts clock end-of-time quotes transition webhook-registration whitelabel",
  webhooks: "held log mailbox mishaps races",
  control:
    "charges faults foreign names next queries rates reconcile requests scenarios tasks-and-search timeline tolerated wait",
  openapi: "acceptance",
};

let postgres: Postgres;
let door: KeptConnections;
beforeAll(async () => {
  postgres = await Postgres.start(["fsync=off"]);
  door = await KeptConnections.to(postgres.port);
  stateOf.data = () => postgres.url("lease=60s", door.port);
});
afterAll(async () => {
  stateOf.data = undefined;
  door.close();
  await postgres.end();
});

const tried = [FILES, ...(process.env.PAYMENTS_SANDBOX_ALL === undefined ? [] : [MORE])];
for (const [folder, names] of tried.flatMap((files) => Object.entries(files)))
  for (const name of names.split(" "))
    describe.skipIf(lacksPostgres)(`${folder}/${name}`, async () => {
      // The query makes it another module than the one of that file's own run.
      await import(/* @vite-ignore */ `../${folder}/${name}.test.ts?postgres`);
    });
