// Webhooks under load: `node bench/deliveries.mjs`. Deliveries a second to one endpoint and to fifty, and what a
// storm of 10,000 pending deliveries does to the latency of the API. Takes about a minute.
//
// Part of a storm's latency is the machine's: the receiver is woken for each delivery, on a core that the client or the
// server was running on. So the API is measured three times: on an idle server with nothing else under way; on an idle
// server while another process posts to the receiver as often as the storm did; in the storm.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findCores } from "./cores.mjs";
import { LoadClient } from "./load-client.mjs";
import { API_KEY, call, chargePath, getText, newCharge, newQuote } from "./requests.mjs";
import { sandbox, start, stopAll } from "./servers.mjs";
import { median } from "./stats.mjs";
import { startSteadySender } from "./steady-sender.mjs";
import { ms, perSecond, table, times } from "./table.mjs";

const SELF = fileURLToPath(import.meta.url);
const LIMIT_MS = 120_000;
const PENDING = 10_000;
const ENDPOINTS = 50;
const EVENTS_A_CHARGE = 3;
const LATENCY = { connections: 1, warmUpMs: 200, maxMs: 1_000 };
const ROUNDS = 1;

/** The app: a process of its own that answers 204, at once or when it is let go, after a while or without. */
function receive() {
  const [held, settings] = [[], { holds: false, delayMs: 0 }];
  let count = 0;
  const answer = (response) => response.writeHead(204).end();
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => {
      count++;
      if (settings.holds) held.push(response);
      else if (settings.delayMs > 0) setTimeout(answer, settings.delayMs, response);
      else answer(response);
    });
  });
  server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
  process.on("message", (message) => {
    Object.assign(settings, message);
    if (!settings.holds) for (const response of held.splice(0)) answer(response);
    process.send({ count });
  });
  process.on("disconnect", () => process.exit());
}

async function startReceiver() {
  const child = fork(SELF, ["receiver"]);
  const said = () => new Promise((resolve) => child.once("message", resolve));
  const { port } = await said();
  return {
    port,
    /** Changes how it answers; tells how many have come so far. */
    async set(settings) {
      child.send(settings);
      return (await said()).count;
    },
    stop: () => child.disconnect(),
  };
}

const control = async (port, method, path, body) =>
  JSON.parse(await call(port, method, `/_sandbox${path}`, body));

async function register(server, app, endpoints) {
  for (let index = 0; index < endpoints; index++)
    await control(server.port, "POST", "/webhook-endpoints", {
      url: `http://127.0.0.1:${app.port}/hooks/${index}`,
    });
}

function triggerText() {
  const body = JSON.stringify({ type: "charge.completed", data: { note: "a storm", order: "17" } });
  return [
    "POST /_sandbox/events HTTP/1.1",
    "Host: 127.0.0.1",
    `Authorization: Bearer ${API_KEY}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
}

const pendingAt = async (port) => (await control(port, "GET", "/deliveries?status=pending&limit=1")).total;

/** How long an advance takes in which so many charges are paid, and all their events delivered. */
async function measureRate(app, where, endpoints, deliveries) {
  const server = await start(sandbox("--clock", "manual"), where);
  const rates = [];
  const charges = Math.round(deliveries / endpoints / EVENTS_A_CHARGE);
  await register(server, app, endpoints);
  for (let round = 0; round <= ROUNDS; round++) {
    const quote = await newQuote(server.port);
    for (let made = 0; made < charges; made++) await newCharge(server.port, quote);
    const [before, startedMs] = [await app.set({}), performance.now()];
    await control(server.port, "POST", "/clock/advance", { by: "10s" });
    const seconds = (performance.now() - startedMs) / 1000;
    const count = (await app.set({})) - before;
    if (count !== charges * EVENTS_A_CHARGE * endpoints) throw new Error(`${count} deliveries arrived`);
    // The first round warms up.
    if (round > 0) rates.push(count / seconds);
  }
  await server.stop();
  return { deliveries: charges * EVENTS_A_CHARGE * endpoints, perSecond: median(rates) };
}

/** A server with a charge to ask for, compiled and optimized before anything counts. */
async function startWarm(load, where) {
  const server = await start(sandbox("--clock", "real"), where);
  const charge = await newCharge(server.port, await newQuote(server.port));
  const job = { port: server.port, requests: [getText(chargePath(charge.chargeId))], ...LATENCY };
  await load.run({ ...job, connections: 10, maxMs: 2_000 });
  return { server, job };
}

/** Runs a job; tells how many a second the receiver got meanwhile. */
async function runCounted(load, app, job) {
  const [before, startedMs] = [await app.set({}), performance.now()];
  const latency = await load.run(job);
  const seconds = (performance.now() - startedMs) / 1000;
  return { ...latency, receivedPerSecond: ((await app.set({})) - before) / seconds };
}

/** GET charge, one connection: with nothing to deliver, then with a storm under way, then beside as many posts. */
async function measureStorm(load, app, where, { endpoints, delayMs }) {
  const { server, job } = await startWarm(load, where);
  const idle = await load.run(job);

  await app.set({ holds: true, delayMs });
  await register(server, app, endpoints);
  const events = PENDING / endpoints;
  await load.run({
    port: server.port,
    connections: 4,
    requests: [triggerText()],
    count: events,
    maxMs: 20_000,
  });
  const before = await pendingAt(server.port);
  await app.set({ holds: false });
  const storm = await runCounted(load, app, job);
  const after = await pendingAt(server.port);
  await server.stop();

  const control = await startWarm(load, where);
  const sender = await startSteadySender(app.port, storm.receivedPerSecond);
  const beside = await runCounted(load, app, control.job);
  await sender.stop();
  await control.server.stop();
  await app.set({ delayMs: 0 });
  return { idle, beside, storm, before, after };
}

async function main() {
  const cores = findCores();
  const folder = mkdtempSync(join(tmpdir(), "payments-sandbox-bench-"));
  const where = { cwd: folder, core: cores?.server };
  const load = new LoadClient(cores?.client);
  const app = await startReceiver();
  const loads = () =>
    loadavg()
      .map((one) => one.toFixed(1))
      .join(" ");
  process.stdout.write(`load average before: ${loads()}\n\n`);
  try {
    const rows = [];
    for (const [endpoints, deliveries] of [
      [1, 1_500],
      [ENDPOINTS, 3_000],
    ]) {
      const rate = await measureRate(app, where, endpoints, deliveries);
      rows.push([`${endpoints}`, `${rate.deliveries}`, perSecond(rate.perSecond)]);
    }
    process.stdout.write(
      `${table("Deliveries, by an advance", ["endpoints", "deliveries", "a second"], rows)}\n`,
    );

    const latencies = [];
    for (const [name, storm] of [
      ["one endpoint, answers at once", { endpoints: 1, delayMs: 0 }],
      ["fifty endpoints, answer after 1 s", { endpoints: ENDPOINTS, delayMs: 1_000 }],
    ]) {
      const found = await measureStorm(load, app, where, storm);
      const { idle, beside, storm: stormy } = found;
      latencies.push([name, "idle", "", "", ms(idle.p50Ms), ms(idle.p99Ms), "", ""]);
      latencies.push([
        "",
        "beside as many posts",
        "",
        perSecond(beside.receivedPerSecond),
        ms(beside.p50Ms),
        ms(beside.p99Ms),
        times(beside.p99Ms / idle.p99Ms),
        "",
      ]);
      latencies.push([
        "",
        "storm",
        `${found.before} → ${found.after}`,
        perSecond(stormy.receivedPerSecond),
        ms(stormy.p50Ms),
        ms(stormy.p99Ms),
        times(stormy.p99Ms / idle.p99Ms),
        times(stormy.p99Ms / beside.p99Ms),
      ]);
    }
    const figures = ["pending", "received/s", "p50 ms", "p99 ms", "p99 ÷ idle", "p99 ÷ beside"];
    const head = ["receiver", "server", ...figures];
    process.stdout.write(`${table("GET charge, one connection", head, latencies)}\n`);
    process.stdout.write(`load average after: ${loads()}\n`);
  } finally {
    app.stop();
    load.close();
    stopAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[2] === "receiver") receive();
else {
  process.once("exit", stopAll);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
  setTimeout(() => {
    process.stderr.write(`bench: not done within ${LIMIT_MS / 1000} s\n`);
    process.exit(1);
  }, LIMIT_MS).unref();
  const startedMs = performance.now();
  main().then(
    () => process.stdout.write(`measured in ${((performance.now() - startedMs) / 1000).toFixed(0)} s\n`),
    (error) => {
      process.stderr.write(`bench: ${error.message}\n`);
      process.exitCode = 1;
    },
  );
}
