import { createSandbox } from "../../dist/index.js";
import { course } from "./course.mjs";
import { lot, Receiver, Wire } from "./wire.mjs";

/**
 * Makes all calls twice, before and after a reset, and prints both transcripts. Any Node can run it: `node
 * run.mjs SEED`.
 */
const [seed = "determinism", times] = process.argv.slice(2);

/** Closes each connection, because reuse depends on timing. */
function moods({ id, type }, times) {
  const mood = (lot(`${id}|${type}`) + 37 * (times - 1)) % 100;
  if (mood < 15) return "cut";
  const headers = { connection: "close" };
  if (mood < 30) return { status: 503, headers: { ...headers, "retry-after": "47" }, body: "later" };
  if (mood < 45) return { status: 500, headers, body: `broken at ${times}` };
  if (mood < 50) return { status: 302, headers: { ...headers, location: "/elsewhere" } };
  return { status: 200, headers, body: JSON.stringify({ times }) };
}

const steady = await Receiver.open("stead", () => ({ status: 204 }));
const moody = await Receiver.open("moody", moods);
const gone = await Receiver.open("gone!", ({ type }) => ({ status: type === "charge.failed" ? 410 : 200 }));
const receivers = { steady, moody, gone };
// Another test's receiver may take a low port.
const nobody = "http://127.0.0.1:4/hooks";
const urls = { steady: steady.url, moody: moody.url, gone: gone.url, nobody };

const sandbox = await createSandbox({
  seed,
  clock: "manual",
  startTime: "2026-04-01T08:00:00.000Z",
  publicUrl: "http://sandbox.test",
  rateLimit: 300,
  holdLimit: "100ms",
  webhooks: [{ mailbox: "post", mode: "live" }],
});
const { url } = await sandbox.listen({ port: 0 });
const wire = new Wire(url);

async function transcript() {
  wire.begin();
  await course(wire, urls);
  for (const [name, receiver] of Object.entries(receivers)) wire.note(`${name} was told\n${receiver.told()}`);
  return [...wire.transcript];
}

const fresh = await transcript();
let repeated;
if (times !== "once") {
  await wire.call("POST", "/_sandbox/reset", { ids: "repeat", keep: [] });
  repeated = await transcript();
}
await sandbox.close();
wire.close();
for (const receiver of Object.values(receivers)) receiver.close();
process.stdout.write(JSON.stringify({ node: process.versions.node, fresh, repeated }));
