import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { yieldToEventLoop } from "../../src/core/time/wall-clock.js";
import { BufferedRequest } from "../../src/server/http/fast-path.js";

/** Whatever goes on at once has done so. */
const atOnce = () => new Promise<void>((resolve) => process.nextTick(resolve));

/** Calls as Node's parser tells of them, all in one turn; `seen` has the bodies in the order they are worked on. */
function calls() {
  const seen: string[] = [];
  return {
    seen,
    call(connection: Socket, body: string) {
      const incoming = new BufferedRequest(connection);
      incoming.takeBody();
      void incoming.readTakenBody().then((taken) => seen.push("text" in taken ? taken.text : "torn"));
      incoming.push(Buffer.from(body));
      incoming.push(null);
    },
  };
}

describe("the bodies of calls that come in one turn of the event loop", () => {
  it("are worked on when it ends, in the order they came, where several connections call", async () => {
    const { seen, call } = calls();
    const connections = [new Socket(), new Socket(), new Socket()];
    for (const [place, connection] of connections.entries()) call(connection, `call ${place}`);
    await atOnce();
    expect(seen).toEqual([]);
    await yieldToEventLoop();
    expect(seen).toEqual(["call 0", "call 1", "call 2"]);
  });

  it("are worked on at once where the last call came by the same connection", async () => {
    const { seen, call } = calls();
    const connection = new Socket();
    call(connection, "the first");
    await yieldToEventLoop();
    call(connection, "the second");
    call(connection, "the third");
    await atOnce();
    expect(seen).toEqual(["the first", "the second", "the third"]);
  });

  it("keep their order where one connection sends several and the first of them waits", async () => {
    const { seen, call } = calls();
    const [connection, other] = [new Socket(), new Socket()];
    call(other, "another's");
    for (const name of ["the first", "the second", "the third"]) call(connection, name);
    await yieldToEventLoop();
    expect(seen).toEqual(["another's", "the first", "the second", "the third"]);
  });
});
