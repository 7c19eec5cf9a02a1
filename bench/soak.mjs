// `node bench/soak.mjs [--minutes 15] [--rate 60]`: the real command with a file under a mixed load, with a receiver that
// errs. Exits with 1 if a verdict is missed.
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { API_KEY, call } from "./calls.mjs";
import { machineLine, median, quantile, round, runMain, table } from "./report.mjs";
import { requireBuild, sandbox, start, withFolder } from "./servers.mjs";

const SELF = fileURLToPath(import.meta.url);
const WINDOW_MS = 10_000;
const MB = 2 ** 20;
const MAX_LOOP_DELAY_MS = 100;
const RETENTION_EVENTS = 10_000;
const MAX_KB_PER_CHARGE = 25;
/** Calls beyond are not sent: a server that does not keep up is not buried. */
const MAX_IN_FLIGHT = 200;
const NEWEST_CHARGES = 200;
/** Responses of the receiver out of a hundred; the rest are 204. */
const BAD_RESPONSES = { error: 8, slow: 4, cut: 3, silent: 1 };

/** Runs in the server: appends its delays and memory to a file each second. */
const PRELOAD = `data:text/javascript,${encodeURIComponent(`
import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
setInterval(() => {
  const { rss, heapUsed } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().length;
  const line = { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6, rss, heapUsed, handles };
  delay.reset();
  appendFileSync(process.env.SOAK_MEASURES, JSON.stringify(line) + "\\n");
}, 1_000).unref();`)}`;

const PRICING = { base_currency: "KES", amount: "250.00" };
const CUSTOMER = { customer_email: "ada@shop.test", customer_name: "Ada Obi" };
const CHECKOUT = { ...CUSTOMER, pricing: PRICING, payment_methods: ["mobile_money", "card"] };
/** Calls of apps and of their developers at a fixed rate. A 5xx or no response is a failure. */
async function openLoad(port, rate) {
  const counts = { answered: 0, failed: 0, notSent: 0 };
  const failures = new Map();
  const charges = [];
  const times = [];
  let inFlight = 0;
  const ask = async (line, body, headers = {}) => {
    if (inFlight >= MAX_IN_FLIGHT) {
      counts.notSent++;
      return {};
    }
    const [method, path] = line.split(" ");
    const beginMs = performance.now();
    inFlight++;
    try {
      const send = () =>
        fetch(`http://127.0.0.1:${port}${path}`, {
          method,
          headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json", ...headers },
          body: body && JSON.stringify(body),
          signal: AbortSignal.timeout(60_000),
        });
      // The server may close an idle connection just as it is used again.
      const response = await send().catch((error) => {
        if (["UND_ERR_SOCKET", "ECONNRESET"].includes(error.cause?.code)) return send();
        throw error;
      });
      const text = await response.text();
      times.push(performance.now() - beginMs);
      if (response.status >= 500) throw new Error(`${response.status} ${text.slice(0, 200)}`);
      counts.answered++;
      return response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : {};
    } catch (error) {
      counts.failed++;
      const what = `${method} ${path.replace(/(ch|co|wd)_\w+|ns\d+/, "ID").replace(/\?.*/, "")}: ${error.message}`;
      failures.set(what, (failures.get(what) ?? 0) + 1);
      return {};
    } finally {
      inFlight--;
    }
  };
  const pay = async (turn) => {
    const order = { pricing: PRICING, payment_method: "mobile_money" };
    const { quote_id } = await ask("POST /api/v1/payments/quotes", order);
    const more = { quote_id, phone_number: "+254700000001", metadata: { order_id: `order-${turn}` } };
    const { charge_id } = await ask("POST /api/v1/payments/whitelabel", { ...CUSTOMER, ...order, ...more });
    if (charge_id !== undefined) charges.push(charge_id);
    if (charges.length > NEWEST_CHARGES) charges.shift();
  };
  const useNamespace = async () => {
    const { name, api_key } = await ask("POST /_sandbox/namespaces", {});
    const headers = { authorization: `Bearer ${api_key}` };
    await ask("POST /api/v1/payments/checkouts", CHECKOUT, headers);
    await ask("POST /_sandbox/reset", {}, headers);
    await ask(`DELETE /_sandbox/namespaces/${name}`);
  };
  /** Calls and their share of a hundred. */
  const kinds = [
    [20, (_charge, turn) => pay(turn)],
    [25, (charge) => ask(`GET /api/v1/payments/charges/${charge}`)],
    [12, () => ask("GET /api/v1/payments/payins?limit=50&status=COMPLETED")],
    [10, () => ask("GET /api/v1/accounts/balances")],
    [6, () => ask("POST /api/v1/payments/checkouts", CHECKOUT)],
    [5, () => ask("POST /api/v1/payments/quotes", { payment_method: "coins" })],
    [4, (charge) => ask(`POST /_sandbox/charges/${charge}/refund`, {})],
    [8, () => ask("GET /_sandbox/requests?limit=20")],
    [3, () => ask("GET /_sandbox/deliveries?status=pending&limit=20")],
    [2, (charge) => ask(`GET /_sandbox/charges/${charge}/timeline`)],
    [2, () => ask("GET /_sandbox/charges?limit=20")],
    [1, () => ask("GET /_sandbox/coverage")],
    [1, () => ask("GET /_sandbox/dashboard")],
    [1, () => ask("GET /api/v1/nothing")],
  ].flatMap(([share, act]) => Array(share).fill(act));
  // A mailbox and a stream that nobody reads.
  await ask("POST /_sandbox/webhook-endpoints", { mailbox: "unread", events: ["webhook.test"] });
  await ask("POST /_sandbox/events", { type: "webhook.test", data: {} });
  const stream = connect(port, "127.0.0.1", () => {
    stream.write("GET /_sandbox/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    stream.pause();
  });
  stream.on("error", () => {});
  const beginMs = performance.now();
  let sent = 0;
  const send = () => {
    for (const due = ((performance.now() - beginMs) / 1_000) * rate; sent < due; sent++) {
      const act = charges.length === 0 ? kinds[0] : kinds[(sent * 37) % 100];
      void act(charges[sent % charges.length], sent);
    }
  };
  const timers = [setInterval(send, 10), setInterval(() => void useNamespace(), 10_000)];
  return {
    counts,
    failures: () => [...failures].sort((a, b) => b[1] - a[1]).map(([what, many]) => `${many} x ${what}`),
    takeTimes: () => times.splice(0).sort((a, b) => a - b),
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      while (inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 10));
      stream.destroy();
    },
  };
}

/** A webhook receiver that errs, and is down for five seconds each minute. */
function receive() {
  const kinds = Object.entries(BAD_RESPONSES).flatMap(([kind, many]) => Array(many).fill(kind));
  let count = 0;
  const server = createServer((request, response) => {
    const kind = kinds[(count++ * 37) % 100];
    request.resume().once("end", () => {
      if (kind === "error") response.writeHead(500).end("not today");
      else if (kind === "slow") setTimeout(() => response.writeHead(200).end("late"), 2_000);
      else if (kind === "cut") response.destroy();
      else if (kind !== "silent") response.writeHead(204).end();
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    process.send(port);
    setInterval(() => {
      server.close();
      server.closeAllConnections();
      setTimeout(() => server.listen(port, "127.0.0.1"), 5_000);
    }, 60_000);
  });
  process.on("disconnect", () => process.exit());
}

const HEAD = [
  "at",
  "answered",
  "failed",
  "p50 ms",
  "p99 ms",
  "loop p99",
  "loop max",
  "(here)",
  "RSS MB",
  "heap MB",
];
const print = (cells) => console.log(cells.map((cell) => `${cell}`.padStart(9)).join(""));
const countsOf = async (port) => JSON.parse(await call(port, "GET", "/_sandbox")).counts;

async function main() {
  const options = { minutes: { type: "string", default: "15" }, rate: { type: "string", default: "60" } };
  const { values } = parseArgs({ options });
  const [minutes, rate] = [Number(values.minutes), Number(values.rate)];
  if (!(minutes > 0 && minutes <= 600 && rate > 0 && rate <= 2_000))
    throw new Error("--minutes must be up to 600, --rate up to 2000");
  requireBuild();
  console.log(machineLine());
  await withFolder(async (folder) => {
    const file = join(folder, "measures.jsonl");
    const receiver = fork(SELF, ["receive"]);
    const receiverPort = await new Promise((resolve) => receiver.once("message", resolve));
    const url = `http://127.0.0.1:${receiverPort}/hooks`;
    const args = ["--data", join(folder, "data.json"), "--clock", "60x", "--webhook-url", url];
    const env = { NODE_OPTIONS: `--import ${PRELOAD}`, SOAK_MEASURES: file };
    const startServer = () => start(sandbox(args), { cwd: folder, env });
    try {
      const server = await startServer();
      const load = await openLoad(server.port, rate);
      const windows = await watch(server, load, file, minutes);
      await load.stop();
      const { charges } = await countsOf(server.port);
      const beginMs = performance.now();
      const code = await server.end();
      const endMs = performance.now() - beginMs;
      const again = await startServer();
      const kept = (await countsOf(again.port)).charges;
      await again.end();
      const rows = verdicts(windows, load.counts, { charges, kept, code, endMs });
      console.log(`\n${table("Verdict", ["", "was", "aim", ""], rows)}`);
      for (const failure of load.failures().slice(0, 10)) console.log(failure);
      process.exitCode = rows.some((row) => row.at(-1) === "LOOK") ? 1 : 0;
    } finally {
      receiver.disconnect();
    }
  });
}

/** Prints and returns one window every ten seconds. */
async function watch({ port }, load, file, minutes) {
  const own = monitorEventLoopDelay({ resolution: 5 });
  own.enable();
  print(HEAD);
  const windows = [];
  const beginMs = performance.now();
  let read = 0;
  for (let count = 1; count * WINDOW_MS <= minutes * 60_000; count++) {
    await new Promise((resolve) => setTimeout(resolve, beginMs + count * WINDOW_MS - performance.now()));
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const measures = lines.slice(read).map((line) => JSON.parse(line));
    read = lines.length;
    const pending = JSON.parse(await call(port, "GET", "/_sandbox/deliveries?status=pending&limit=1")).total;
    const times = load.takeTimes();
    const of = (field, pick) => pick(...measures.map((measure) => measure[field]));
    const window = {
      ...(await countsOf(port)),
      pending,
      p99Ms: quantile(times, 0.99),
      loopMs: of("p99", Math.max),
      ownMs: own.percentile(99) / 1e6,
      heap: of("heapUsed", Math.min),
      handles: of("handles", (...all) => median(all)),
    };
    own.reset();
    windows.push(window);
    const { answered, failed, notSent } = load.counts;
    const waits = [quantile(times, 0.5), window.p99Ms, window.loopMs, of("max", Math.max), window.ownMs];
    const sizes = [of("rss", Math.max), window.heap].map((bytes) => round(bytes / MB));
    print([
      `${(count * WINDOW_MS) / 1_000} s`,
      answered,
      failed + notSent,
      ...waits.map((ms) => round(ms, 1)),
      ...sizes,
    ]);
  }
  return windows;
}

/** Rows of the name, the figure, the aim and "ok", "LOOK", or "?" after too short a run. The first window warms up. */
function verdicts(windows, { failed, notSent }, { charges, kept, code, endMs }) {
  const warm = windows.length > 1 ? windows.slice(1) : windows;
  const worst = (field) => Math.max(...warm.map((one) => one[field]));
  const isQuick = warm.every(({ loopMs, ownMs }) => loopMs <= Math.max(MAX_LOOP_DELAY_MS, 2 * ownMs));
  const isBounded = windows.every(({ events, pending }) => events <= RETENTION_EVENTS + pending + 10);
  const quarter = Math.ceil(warm.length / 4);
  const [early, late] = [warm.slice(0, 2 * quarter), warm.slice(-quarter)].map((some) =>
    median(some.map((one) => one.handles)),
  );
  // Once the logs are full, only what stays for good makes the heap grow.
  const full = warm.filter(({ events }) => events >= RETENTION_EVENTS);
  const third = Math.floor(full.length / 3);
  const [first, last] = [full.slice(0, third), full.slice(-third)];
  const leastHeap = (some) => Math.min(...some.map(({ heap }) => heap));
  const kb =
    full.length < 12
      ? undefined
      : (leastHeap(last) - leastHeap(first)) / 1_024 / (last[0].charges - first[0].charges);
  const mark = (isGood) => (isGood ? "ok" : "LOOK");
  return [
    [
      "event loop delay, worst p99 of a second, ms",
      `${round(worst("loopMs"))} (here ${round(worst("ownMs"))})`,
      `${MAX_LOOP_DELAY_MS}, or twice ours`,
      mark(isQuick),
    ],
    ["calls failed; not sent", `${failed}; ${notSent}`, "0; 0", mark(failed + notSent === 0)],
    [
      "events kept",
      Math.max(...windows.map(({ events }) => events)),
      `${RETENTION_EVENTS} and the open ones`,
      mark(isBounded),
    ],
    ["handles, first half and last quarter", `${early}, ${late}`, "level", mark(late <= 1.5 * early + 20)],
    [
      "heap of a charge once the logs are full, kB",
      round(kb, 1),
      MAX_KB_PER_CHARGE,
      kb === undefined ? "?" : mark(kb <= MAX_KB_PER_CHARGE),
    ],
    ["exit code after SIGTERM", `${code} in ${round(endMs / 1_000, 1)} s`, "0", mark(code === 0)],
    ["charges after a restart", `${kept} of ${charges}`, "all", mark(kept === charges)],
  ];
}

if (process.argv[2] === "receive") receive();
else runMain(main);
