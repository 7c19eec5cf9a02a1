import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe } from "vitest";
import { stateOf } from "../support/api-client.js";
import { lacksPostgres, Postgres } from "../support/postgres.js";

/** Message with which a client disconnects. */
const TERMINATE = Buffer.from("X\0\0\0\x04", "latin1");
/** Last message of the response to `DISCARD`. */
const DISCARDED = Buffer.from("C\0\0\0\x10DISCARD ALL\0Z\0\0\0\x05I", "latin1");
/** Last message of the server's greeting. */
const READY = Buffer.from("Z\0\0\0\x05I", "latin1");
const DISCARD = Buffer.concat(["rollback", "discard all"].map(queryMessage));

/** Returns the message of a simple query. */
function queryMessage(text: string): Buffer {
  const message = Buffer.from(`Q\0\0\0\0${text}\0`, "latin1");
  message.writeInt32BE(message.length - 1, 1);
  return message;
}

interface Kept {
  readonly socket: Socket;
  readonly greeting: Buffer;
}

/** A proxy that reuses connections, because a new one takes 50 ms. */
class KeptConnections {
  readonly #idle: Kept[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(readonly target: number) {
    this.#server = createServer((client) => {
      this.#track(client).once("data", (startup) => this.#serve(client, startup as Buffer));
    });
  }

  static async to(target: number): Promise<KeptConnections> {
    const door = new KeptConnections(target);
    await new Promise<void>((resolve) => door.#server.listen(0, "127.0.0.1", resolve));
    return door;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  #track(socket: Socket): Socket {
    this.#sockets.add(socket);
    return socket.setNoDelay().on("error", () => socket.destroy());
  }

  async #serve(client: Socket, startup: Buffer): Promise<void> {
    client.pause();
    const kept = this.#idle.pop() ?? (await this.#greeted(startup));
    const { socket } = kept;
    client.write(kept.greeting);
    let isLeft = false;
    client.on("data", (chunk: Buffer) => {
      isLeft = chunk.subarray(-TERMINATE.length).equals(TERMINATE);
      socket.write(isLeft ? Buffer.concat([chunk.subarray(0, -TERMINATE.length), DISCARD]) : chunk);
    });
    client.once("close", () => isLeft || socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      if (!isLeft) client.write(chunk);
      else if (chunk.subarray(-DISCARDED.length).equals(DISCARDED)) {
        socket.removeAllListeners("data");
        this.#idle.push(kept);
      }
    });
    client.resume();
  }

  /** Opens a connection and waits until the server is ready for queries. */
  #greeted(startup: Buffer): Promise<Kept> {
    const socket = this.#track(connect(this.target, "127.0.0.1"));
    socket.write(startup);
    return new Promise((resolve) => {
      let greeting = Buffer.alloc(0);
      socket.on("data", (chunk: Buffer) => {
        greeting = Buffer.concat([greeting, chunk]);
        if (!greeting.subarray(-READY.length).equals(READY)) return;
        socket.removeAllListeners("data");
        resolve({ socket, greeting });
      });
    });
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

// Repeats the tests about state, with a schema per sandbox.

/**
 * Left out:
 * - input, headers and wire format: http/{auth, bad-input, catalogue, config, conventions, errors, fast-path, fixtures,
 *   hints, host, one-connection, prototype-names, rails, rate-limit, router, state-memo}, control/{access, limits},
 *   doors, openapi
 * - what is in memory on every storage: control/{advice, failed-tests, held-responses, coverage, mishap-counts, stream}
 * - without a sandbox, or with a storage or process of their own: control/{candidates, in-process, list-cost,
 *   file-names, polling}, state, webhooks/{connections, docs, receivers, signatures, storm, urls}
 */
const FILES: Readonly<Record<string, string>> = {
  http: "charges payins payouts reset settlement",
  webhooks: "delivery further-attempts reset",
  control: "events import namespaces reversals webhook-endpoints",
};
/** `npm run test:postgres` runs these too, which takes 90 seconds. */
const MORE: typeof FILES = {
  http: "balances checkouts clock end-of-time quotes transition webhook-registration whitelabel",
  webhooks: "held log mailbox mishaps races",
  control:
    "charges cross-site-reads faults next queries rates reconcile requests scenarios tasks-and-search timeline ignored-input unknown-names wait",
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
      // The query makes it a different module.
      await import(/* @vite-ignore */ `../${folder}/${name}.test.ts?postgres`);
    });
