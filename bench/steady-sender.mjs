// A process that posts to the receiver so many times a second, and nothing else: what a storm of deliveries costs
// the machine, without what it costs the server.
import { fork } from "node:child_process";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";

const SELF = fileURLToPath(import.meta.url);
const TICK_MS = 5;
/** About the size of an event of a storm. */
const BODY = JSON.stringify({ id: "evt_bench", type: "charge.completed", data: { note: "x".repeat(120) } });

/**
 * @param {number} port the receiver's, on 127.0.0.1
 * @param {number} perSecond
 * @returns {Promise<{ stop(): Promise<number> }>} once the first has been sent; stopped, how many were in all
 */
export async function startSteadySender(port, perSecond) {
  const child = fork(SELF, ["send", `${port}`, `${perSecond}`]);
  const said = () =>
    new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", () => reject(new Error("the steady sender ended")));
    });
  await said();
  return {
    async stop() {
      const answer = said();
      child.send("stop");
      const { error, sent } = await answer;
      child.disconnect();
      if (error !== undefined) throw new Error(`the steady sender: ${error}`);
      return sent;
    },
  };
}

function send(port, perSecond) {
  const agent = new Agent({ keepAlive: true });
  const startedMs = performance.now();
  let [sent, error] = [0, undefined];
  const post = () => {
    sent++;
    const headers = { "content-type": "application/json", "content-length": BODY.length };
    const outgoing = request({ host: "127.0.0.1", port, method: "POST", path: "/hooks", agent, headers });
    outgoing.on("response", (response) => response.resume());
    outgoing.on("error", ({ message }) => {
      error ??= message;
    });
    outgoing.end(BODY);
  };
  // By the time that has passed, not by the ticks that were: a late tick sends what is missing.
  setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * perSecond);
    while (sent < due) post();
  }, TICK_MS);
  post();
  process.on("message", () => process.send({ error, sent }));
  process.on("disconnect", () => process.exit());
  process.send("ready");
}

if (process.argv[1] === SELF && process.argv[2] === "send")
  send(Number(process.argv[3]), Number(process.argv[4]));
