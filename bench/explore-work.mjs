// Loaded into an app before it begins, for bench/explore.mjs: GET /.work is how long it has been at work, in milliseconds
// of wall time and of CPU time. It is at work while it has a request in hand and does not wait for a call of its own.
import { Server } from "node:http";

let [inHand, waiting, workMs, sinceMs] = [0, 0, 0, 0];

function tally() {
  const nowMs = performance.now();
  if (inHand > waiting) workMs += nowMs - sinceMs;
  sinceMs = nowMs;
}

const { emit } = Server.prototype;
Server.prototype.emit = function (event, ...with_) {
  if (event !== "request") return emit.call(this, event, ...with_);
  const [request, response] = with_;
  tally();
  if (request.url === "/.work") {
    const { user, system } = process.cpuUsage();
    return response.end(JSON.stringify({ workMs, cpuMs: (user + system) / 1_000 }));
  }
  inHand++;
  response.once("close", () => {
    tally();
    inHand--;
  });
  return emit.call(this, event, ...with_);
};

const { fetch } = globalThis;
globalThis.fetch = async (...call) => {
  tally();
  waiting++;
  try {
    return await fetch(...call);
  } finally {
    tally();
    waiting--;
  }
};
