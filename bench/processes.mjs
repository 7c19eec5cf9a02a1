// POST whitelabel per second by processes on one database, and of one process with a file, in one run:
//   node bench/processes.mjs postgres://USER@HOST/DB [seconds] [pid of the database's first process]
// Each process serves a namespace of its own, and each call reaches the process that runs its namespace; "passed on"
// sends every call to another process than that.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandbox, start } from "./servers.mjs";

const [database, seconds = "8", postmaster] = process.argv.slice(2);
if (database === undefined)
  throw new Error("usage: node bench/processes.mjs postgres://USER@HOST/DB [seconds]");
const CONNECTIONS = 32;
const MEASURE_MS = Number(seconds) * 1_000;
/** A new process needs some thousand calls until its code is compiled: the first ones take up to five times as long. */
const WARM_UP_CALLS = 8_000;
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const folder = mkdtempSync(join(tmpdir(), "processes-"));
const PAYMENT = { pricing: { base_currency: "KES", amount: "500.00" }, payment_method: "mobile_money" };

function post(port, path, namespace, body) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${namespace === "default" ? "sk_test_sandbox" : `sk_test_ns_${namespace}`}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    };
    const outgoing = request(
      { host: "127.0.0.1", port, path, method: "POST", agent, headers },
      (response) => {
        let answer = "";
        response.setEncoding("utf8").on("data", (part) => (answer += part));
        response.on("end", () =>
          response.statusCode === 200
            ? resolve(JSON.parse(answer))
            : reject(new Error(`${response.statusCode}: ${answer}`)),
        );
      },
    );
    outgoing.once("error", reject).end(text);
  });
}

/** Processor time so far of a process, or of the database's processes, in milliseconds. On a busy machine it says more. */
function cpuMs(pids) {
  let ticks = 0;
  for (const pid of pids) {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1].split(" ");
    for (const index of [11, 12, 13, 14]) ticks += Number(fields[index]);
  }
  return ticks * 10;
}

function databasePids() {
  if (postmaster === undefined) return [];
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "latin1");
  return [postmaster, ...children.split(" ").filter((pid) => pid !== "")];
}

/** Calls per second and the milliseconds that half and 99 % of them take at most. */
async function measure(targets, pids) {
  const charge = (quote) => ({
    ...PAYMENT,
    quote_id: quote.quote_id,
    customer_email: "customer@shop.test",
    phone_number: "+254700000001",
  });
  const times = [];
  let isOver = () => times.length >= WARM_UP_CALLS;
  const call = async ({ port, namespace, body }) => {
    while (!isOver()) {
      const beginMs = performance.now();
      await post(port, "/api/v1/payments/whitelabel", namespace, body);
      times.push(performance.now() - beginMs);
    }
  };
  for (const target of targets)
    target.body = charge(await post(target.port, "/api/v1/payments/quotes", target.namespace, PAYMENT));
  let cpu = [0, 0];
  for (const phase of ["warm-up", "measurement"]) {
    times.length = 0;
    cpu = [cpuMs(pids), cpuMs(databasePids())];
    const endMs = performance.now() + MEASURE_MS;
    if (phase === "measurement") isOver = () => performance.now() >= endMs;
    await Promise.all(
      Array.from({ length: CONNECTIONS }, (_, index) => call(targets[index % targets.length])),
    );
  }
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor(part * times.length)].toFixed(1);
  const each = [cpuMs(pids) - cpu[0], cpuMs(databasePids()) - cpu[1]].map((ms) =>
    Math.round((ms * 1_000) / times.length),
  );
  return `${Math.round((times.length * 1_000) / MEASURE_MS)} | ${at(0.5)} | ${at(0.99)} | ${each.join(" | ")}`;
}

async function withServers(options, count, targetsOf) {
  const servers = [];
  try {
    for (let index = 0; index < count; index++)
      servers.push(await start(sandbox("--clock", "manual", ...options), { cwd: folder }));
    return await measure(
      await targetsOf(servers.map(({ port }) => port)),
      servers.map(({ pid }) => pid),
    );
  } finally {
    for (const server of servers) await server.end();
  }
}

let schemas = 0;
function inDatabase(count, hop) {
  const url = new URL(database);
  url.searchParams.set("schema", `bench_${process.pid}_${++schemas}`);
  return withServers(["--data", url.href], count, async (ports) => {
    const targets = [];
    for (const [index, port] of ports.entries()) {
      const namespace = `n${index}`;
      const response = await fetch(`http://127.0.0.1:${port}/_sandbox/namespaces/${namespace}`, {
        method: "PUT",
      });
      if (!response.ok) throw new Error(await response.text());
      targets.push({ port: ports[(index + hop) % count], namespace });
    }
    return targets;
  });
}

const alone = ([port]) => [{ port, namespace: "default" }];
const rows = [
  ["memory", () => withServers([], 1, alone)],
  ["file", () => withServers(["--data", join(folder, "d.json")], 1, alone)],
  ["file, --fsync", () => withServers(["--data", join(folder, "f.json"), "--fsync"], 1, alone)],
  ...[1, 2, 4].map((count) => [`database, ${count} processes`, () => inDatabase(count, 0)]),
  ["database, 2 processes, passed on", () => inDatabase(2, 1)],
];
console.log("| | POST/s | p50 ms | p99 ms | sandbox µs/POST | database µs/POST |\n|---|---|---|---|---|---|");
for (const [name, run] of rows) console.log(`| ${name} | ${await run()} |`);
rmSync(folder, { recursive: true });
agent.destroy();
