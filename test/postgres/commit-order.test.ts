import { afterAll, beforeAll, expect } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { atEnd } from "../support/lifetime.js";
import { itOnPostgres, Postgres } from "../support/postgres.js";
import { Client } from "../support/receiver-client.js";
import { BEFORE_COMMIT, openLocks } from "./locks.js";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await Postgres.start();
});
afterAll(() => postgres.end());

itOnPostgres.each(["reset", "snapshots/one/restore"])(
  "POST /_sandbox/%s is streamed when it is committed, not before",
  async (call) => {
    const url = postgres.url();
    const sandbox = await openSandbox({ data: url });
    const client = Client.of(sandbox);
    await client.ask("POST /_sandbox/snapshots", { name: "one" });
    const locks = await openLocks(postgres, url);
    const stream = (await sandbox.fetch(new Request("http://sandbox/_sandbox/stream"))).body!.getReader();
    atEnd(() => stream.cancel());
    expect(new TextDecoder().decode((await stream.read()).value)).toMatch(/^event: hello/);
    const next = stream.read();
    let isStreamed = false;
    void next.then(() => {
      isStreamed = true;
    });
    const done = client.ask(`POST /_sandbox/${call}`, {});
    await locks.hasWaiting(BEFORE_COMMIT);
    expect(isStreamed).toBe(false);
    await locks.release(BEFORE_COMMIT);
    expect(new TextDecoder().decode((await next).value)).toMatch(/^event: clock/);
    expect((await done).status).toBe(200);
  },
);
