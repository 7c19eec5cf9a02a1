// The load generator, a process of its own: each connection sends a request, reads the whole response and sends the
// next. Raw sockets, because the client of node:http is slower than the servers measured here.
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { quantile } from "./report.mjs";
import { nodeCommand } from "./servers.mjs";

const SELF = fileURLToPath(import.meta.url);
const READ_BUFFER_BYTES = 64 * 1024;
const MAX_LATENCIES = 1 << 20;
const LAST_CHUNK = "\r\n0\r\n\r\n";
/** Time beyond a job's own after which it counts as hung. */
const GRACE_MS = 15_000;

/** One load generator for all jobs, so that it is equally warm for all. */
export class LoadClient {
  #child;
  #staysAwake;

  constructor(core) {
    this.#staysAwake = core !== undefined;
    const [command, args] = nodeCommand(core, [SELF, "generate"]);
    this.#child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  }

  /**
   * Runs `{ port, connections, requests, maxMs, warmUpMs?, count? }` and resolves to
   * `{ sent, requests, perSecond, p50Ms, p99Ms }`. The requests are sent in turn; `count` limits their number.
   */
  run(job) {
    const limitMs = (job.warmUpMs ?? 0) + job.maxMs + GRACE_MS;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no result within ${limitMs} ms`)), limitMs);
      this.#child.once("message", ({ result, error }) => {
        clearTimeout(timer);
        if (error === undefined) resolve(result);
        else reject(new Error(error));
      });
      this.#child.send({ ...job, staysAwake: this.#staysAwake });
    });
  }

  close() {
    if (this.#child.connected) this.#child.disconnect();
  }
}

async function runLoad({
  port,
  connections,
  requests,
  warmUpMs = 0,
  maxMs,
  count = Number.POSITIVE_INFINITY,
  staysAwake,
}) {
  const texts = requests.map((text) => Buffer.from(text));
  const latencies = new Float64Array(MAX_LATENCIES);
  const measureFrom = performance.now() + warmUpMs;
  let sent = 0;
  let measured = 0;
  const nextRequest = (now) =>
    now >= measureFrom + maxMs || sent >= count ? undefined : texts[sent++ % texts.length];
  const onResponse = (sentAt, now) => {
    if (now >= measureFrom && measured < MAX_LATENCIES) latencies[measured++] = now - sentAt;
  };
  let isOver = false;
  // A sleeping process costs the sender a system call to wake, and only a slower server lets this one sleep.
  const stayAwake = () => isOver || setImmediate(stayAwake);
  if (staysAwake) stayAwake();
  try {
    await Promise.all(Array.from({ length: connections }, () => keepAsking(port, nextRequest, onResponse)));
  } finally {
    isOver = true;
  }
  if (measured === 0) throw new Error("no response in the time given");
  const sorted = latencies.subarray(0, measured).sort();
  return {
    sent,
    requests: measured,
    perSecond: (measured * 1_000) / (performance.now() - measureFrom),
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
  };
}

/** One connection, until there is no next request. Rejects for any status but 200. */
function keepAsking(port, nextRequest, onResponse) {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let head = "";
    let bytesLeft = 0;
    /** The last characters of a chunked body. */
    let chunked;
    const ask = (now) => {
      const request = nextRequest(now);
      if (request === undefined) {
        socket.destroy();
        return resolve();
      }
      sentAt = now;
      socket.write(request);
    };
    const finish = () => {
      chunked = undefined;
      const now = performance.now();
      onResponse(sentAt, now);
      ask(now);
    };
    const fail = (message) => {
      socket.destroy();
      reject(new Error(message));
    };
    const onData = (length, buffer) => {
      if (bytesLeft > 0) {
        bytesLeft -= length;
        if (bytesLeft === 0) finish();
        return true;
      }
      const text = (chunked ?? head) + buffer.latin1Slice(0, length);
      if (chunked === undefined) {
        head = text;
        const headEnd = text.indexOf("\r\n\r\n");
        if (headEnd === -1) return true;
        head = "";
        if (!text.startsWith("HTTP/1.1 200")) return fail(`the server responded: ${text.slice(0, 600)}`);
        const bodyBytes = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
        if (bodyBytes !== undefined) {
          bytesLeft = headEnd + 4 + Number(bodyBytes) - text.length;
          if (bytesLeft === 0) finish();
          return true;
        }
      }
      chunked = text.slice(-LAST_CHUNK.length);
      if (chunked === LAST_CHUNK) finish();
      return true;
    };
    const onread = { buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES), callback: onData };
    const socket = connect({ host: "127.0.0.1", port, noDelay: true, onread });
    socket.once("connect", () => ask(performance.now()));
    socket.once("error", (error) => fail(`the connection broke: ${error.message}`));
    socket.once("close", () => fail("the server closed the connection"));
  });
}

if (process.argv[1] === SELF && process.argv[2] === "generate") {
  process.on("message", (job) =>
    runLoad(job).then(
      (result) => process.send({ result }),
      (error) => process.send({ error: error.message }),
    ),
  );
  process.on("disconnect", () => process.exit());
}
