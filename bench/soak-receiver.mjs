import { fork } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const SELF = fileURLToPath(import.meta.url);
/** Of so many answers… */
const ROUND = 100;
/** …so many are of each bad kind; the rest is 204. */
const KINDS = { error: 8, slow: 4, cut: 3, silent: 1 };
const SLOW_MS = 2_000;
/** Each so often nobody listens for a while. */
const DOWN_EVERY_MS = 60_000;
const DOWN_MS = 5_000;

/** A webhook receiver in a process of its own that answers well mostly, and is away now and then. */
export async function startReceiver() {
  const child = fork(SELF, ["receive"]);
  const port = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", () => reject(new Error("the receiver ended")));
  });
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.disconnect();
      }),
  };
}

function receive() {
  const kinds = Object.entries(KINDS).flatMap(([kind, count]) => Array(count).fill(kind));
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    // Spread over the round, so that every run meets them alike.
    const kind = kinds[(count++ * 37) % ROUND];
    request.once("end", () => {
      if (kind === "error") response.writeHead(500).end("not today");
      else if (kind === "slow") setTimeout(() => response.writeHead(200).end("late"), SLOW_MS);
      else if (kind === "cut") response.destroy();
      else if (kind !== "silent") response.writeHead(204).end();
    });
  });
  let port = 0;
  const listen = () =>
    server.listen(port, "127.0.0.1", () => {
      if (port === 0) process.send((port = server.address().port));
    });
  listen();
  setInterval(() => {
    server.close();
    server.closeAllConnections();
    setTimeout(listen, DOWN_MS);
  }, DOWN_EVERY_MS);
  process.on("disconnect", () => process.exit());
}

if (process.argv[1] === SELF && process.argv[2] === "receive") receive();
