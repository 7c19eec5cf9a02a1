import { connect } from "node:net";
import { quantile } from "./stats.mjs";

const HOST = "127.0.0.1";
const READ_BUFFER_BYTES = 64 * 1024;
const LAST_CHUNK = "\r\n0\r\n\r\n";

/**
 * A closed loop: each connection sends a request, waits for the whole answer, sends the next. Raw sockets and a
 * parser that knows no more than where an answer ends, because node:http's client is slower than the servers measured here.
 * Anything but a 200 ends the job with an error: a fast refusal must not pass for speed.
 *
 * @param {object} job
 * @param {number} job.port on 127.0.0.1, nowhere else
 * @param {number} job.connections
 * @param {string[]} job.requests whole HTTP/1.1 requests, sent in turn
 * @param {number} [job.warmUpMs] sent, but not counted
 * @param {number} job.maxMs how long to go on after the warm-up
 * @param {number} [job.count] stop after so many requests, if that comes first
 * @param {boolean} [job.staysAwake] see `stayAwake`; only where this process has a core of its own
 * @returns {{ result: Promise<LoadResult>, replaceRequests(requests: string[]): void }}
 *
 * @typedef {object} LoadResult
 * @property {number} sent all requests, those of the warm-up too
 * @property {number} requests those counted
 * @property {number} perSecond
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} maxMs
 */
export function runLoad(job) {
  const { port, connections, warmUpMs = 0, maxMs, count = Number.POSITIVE_INFINITY } = job;
  let requests = job.requests.map((text) => Buffer.from(text));
  let turn = 0;
  let sent = 0;
  const latencies = new Latencies();
  const measureFrom = performance.now() + warmUpMs;
  const endAt = measureFrom + maxMs;

  const onAnswer = (sentAt, now) => {
    if (now >= measureFrom) latencies.add(now - sentAt);
  };
  const nextRequest = (now) => {
    if (now >= endAt || sent >= count) return undefined;
    sent++;
    turn = turn + 1 < requests.length ? turn + 1 : 0;
    return requests[turn];
  };
  const run = async () => {
    const sleepAgain = job.staysAwake ? stayAwake() : undefined;
    try {
      const asking = Array.from({ length: connections }, () => keepAsking(port, nextRequest, onAnswer));
      await Promise.all(asking);
      return { sent, ...latencies.summary((performance.now() - measureFrom) / 1000) };
    } finally {
      sleepAgain?.();
    }
  };
  return {
    result: run(),
    replaceRequests(texts) {
      requests = texts.map((text) => Buffer.from(text));
      turn = 0;
    },
  };
}

/**
 * Keeps the event loop turning. To wake a process that sleeps costs the sender several microseconds in the
 * kernel; a client that is as slow as the fastest server never sleeps with that one and does with the others,
 * and so makes a server that is a little slower look a lot slower.
 *
 * @returns how to stop it
 */
function stayAwake() {
  let isOver = false;
  const turn = () => {
    if (!isOver) setImmediate(turn);
  };
  turn();
  return () => {
    isOver = true;
  };
}

/** One connection, until there is no next request. */
function keepAsking(port, nextRequest, onAnswer) {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let head = null;
    let bodyBytesToCome = 0;
    /** The last characters of a body in chunks; null where there is none. */
    let chunksEnd = null;

    const ask = (now) => {
      const request = nextRequest(now);
      if (request === undefined) {
        socket.destroy();
        resolve();
        return;
      }
      sentAt = now;
      socket.write(request);
    };
    const answered = () => {
      const now = performance.now();
      onAnswer(sentAt, now);
      ask(now);
    };
    const answeredInChunks = () => {
      chunksEnd = null;
      answered();
    };
    const fail = (message) => {
      socket.destroy();
      reject(new Error(message));
    };
    const onChunk = (length, buffer) => {
      if (bodyBytesToCome > 0) {
        bodyBytesToCome -= length;
        if (bodyBytesToCome === 0) answered();
        return true;
      }
      if (chunksEnd !== null) {
        chunksEnd = (chunksEnd + buffer.latin1Slice(0, length)).slice(-LAST_CHUNK.length);
        if (chunksEnd === LAST_CHUNK) answeredInChunks();
        return true;
      }
      const text = (head ?? "") + buffer.latin1Slice(0, length);
      const headEnd = text.indexOf("\r\n\r\n");
      if (headEnd === -1) {
        head = text;
        return true;
      }
      head = null;
      const bodyLength = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
      const isChunked = bodyLength === undefined && /\r\ntransfer-encoding: *chunked/i.test(text);
      if (text.startsWith("HTTP/1.1 200") && isChunked) {
        chunksEnd = text.slice(-LAST_CHUNK.length);
        if (chunksEnd === LAST_CHUNK) answeredInChunks();
        return true;
      }
      if (!text.startsWith("HTTP/1.1 200") || bodyLength === undefined) {
        fail(`the server answered: ${text.slice(0, 600)}`);
        return false;
      }
      bodyBytesToCome = headEnd + 4 + Number(bodyLength) - text.length;
      if (bodyBytesToCome === 0) answered();
      return true;
    };

    // One buffer a connection for all that is read: nothing is allocated for what is only counted.
    const socket = connect({
      host: HOST,
      port,
      noDelay: true,
      onread: { buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES), callback: onChunk },
    });
    socket.once("connect", () => ask(performance.now()));
    socket.once("error", (error) => fail(`the connection broke: ${error.message}`));
    socket.once("close", () => fail("the server closed the connection"));
  });
}

/** Every latency, in milliseconds, in one typed array: no objects for the garbage collector to pause for. */
class Latencies {
  #values = new Float64Array(1 << 17);
  #size = 0;

  add(valueMs) {
    if (this.#size === this.#values.length) {
      const larger = new Float64Array(this.#size * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#size++] = valueMs;
  }

  summary(seconds) {
    if (this.#size === 0) throw new Error("no request was answered in the time given");
    const sorted = this.#values.subarray(0, this.#size).sort();
    return {
      requests: this.#size,
      perSecond: this.#size / seconds,
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
      maxMs: sorted[sorted.length - 1],
    };
  }
}
