// A long, mixed, bounded load on the real command: `node bench/soak.mjs [--minutes 15] [--rate 60] [--wait]`. See docs/internal/bench.md.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { call } from "./requests.mjs";
import { sandbox, start, stopAll } from "./servers.mjs";
import { MixedLoad } from "./soak-load.mjs";
import { startReceiver } from "./soak-receiver.mjs";
import { median, quantile } from "./stats.mjs";
import { ms, table } from "./table.mjs";

const PRELOAD = pathToFileURL(fileURLToPath(new URL("soak-preload.mjs", import.meta.url))).href;
const WINDOW_MS = 10_000;
const MB = 2 ** 20;

/** What a good run keeps to. */
const LOOP_DELAY_P99_MS = 100;
const RETENTION_EVENTS = 10_000;
/** A charge, its ledger, its indexes: all of it stays until a reset. */
const KB_A_CHARGE = 25;
const END_WITHIN_MS = 60_000;

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "15" },
    rate: { type: "string", default: "60" },
    wait: { type: "boolean", default: false },
  },
});
const minutes = Number(options.minutes);
const rate = Number(options.rate);
if (!(minutes > 0 && minutes <= 600 && rate > 0 && rate <= 2_000)) {
  process.stderr.write("soak: --minutes must be up to 600, --rate up to 2000\n");
  process.exit(2);
}

/** Lines of the server's measures since the last call. */
function measuresOf(file) {
  let read = 0;
  return () => {
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    const fresh = lines.slice(read).map((line) => JSON.parse(line));
    read = lines.length;
    return fresh;
  };
}

/** The delays of this process, which has little to do: what the machine does to anybody. The p99 of each second. */
function ownDelays() {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const seconds = [];
  setInterval(() => {
    seconds.push(delay.percentile(99) / 1e6);
    delay.reset();
  }, 1_000).unref();
  return () => seconds.splice(0);
}

const countsOf = async (port) => JSON.parse(await call(port, "GET", "/_sandbox")).counts;

async function windowOf(load, server, takeMeasures, takeOwn) {
  const { charges, events } = await countsOf(server.port);
  const pending = JSON.parse(await call(server.port, "GET", "/_sandbox/deliveries?status=pending&limit=1"));
  const measures = takeMeasures();
  const took = load.takeTookMs();
  const last = measures.at(-1);
  return {
    answered: load.answered,
    failed: load.failed + load.leftOut,
    tookP50: took.length === 0 ? Number.NaN : quantile(took, 0.5),
    tookP99: took.length === 0 ? Number.NaN : quantile(took, 0.99),
    delayP99: Math.max(...measures.map(({ delayMs }) => delayMs.p99)),
    ownDelayP99: Math.max(0, ...takeOwn()),
    delayMax: Math.max(...measures.map(({ delayMs }) => delayMs.max)),
    rss: last.rss,
    heap: Math.min(...measures.map(({ heapUsed }) => heapUsed)),
    handles: median(measures.map(({ resources }) => resources.length)),
    charges,
    events,
    pending: pending.total,
  };
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
  "handles",
  "charges",
  "events",
  "pending",
];
const WIDTH = 9;

function rowOf(seconds, one) {
  return [
    `${seconds} s`,
    one.answered,
    one.failed,
    ms(one.tookP50),
    ms(one.tookP99),
    ms(one.delayP99),
    ms(one.delayMax),
    ms(one.ownDelayP99),
    (one.rss / MB).toFixed(0),
    (one.heap / MB).toFixed(0),
    one.handles,
    one.charges,
    one.events,
    one.pending,
  ];
}

const printed = (cells) =>
  process.stdout.write(`${cells.map((cell) => `${cell}`.padStart(WIDTH)).join("")}\n`);

/** [what, how it was, what a good run keeps to, whether it was one (undefined: too short a run to tell)] */
function verdicts(windows, load, ending) {
  // The first window warms up.
  const [, ...warm] = windows;
  const worst = (name) => Math.max(...warm.map((one) => one[name]));
  const last = windows.at(-1);
  const most = Math.max(...windows.map(({ events }) => events));
  const isBounded = windows.every(({ events, pending }) => events <= RETENTION_EVENTS + pending + 10);
  const isQuick = ({ delayP99, ownDelayP99 }) => delayP99 <= Math.max(LOOP_DELAY_P99_MS, 2 * ownDelayP99);
  const half = warm.slice(0, Math.ceil(warm.length / 2));
  const late = warm.slice(-Math.ceil(warm.length / 4));
  const [early, now] = [half, late].map((some) => median(some.map(({ handles }) => handles)));
  // From when the logs are full on, only what stays for good makes it grow.
  const full = warm.filter(({ events }) => events >= RETENTION_EVENTS);
  const growth = full.length < 12 ? undefined : growthOf(full);
  return [
    [
      "event loop delay, p99 of the worst second",
      `${ms(worst("delayP99"))} ms (here ${ms(worst("ownDelayP99"))})`,
      `${LOOP_DELAY_P99_MS} ms, or twice what it is here`,
      warm.every(isQuick),
    ],
    ["the same, middle of all lines", `${ms(median(warm.map(({ delayP99 }) => delayP99)))} ms`, "-", true],
    ["answers, p99 of the worst ten seconds", `${ms(worst("tookP99"))} ms`, "-", true],
    ["calls that failed", `${load.failed}`, "0", load.failed === 0],
    ["calls not sent, 200 being under way", `${load.leftOut}`, "0", load.leftOut === 0],
    ["events kept", `${most}`, `${RETENTION_EVENTS} and the open ones`, isBounded],
    ["handles, first half and last quarter", `${early}, ${now}`, "level", now <= 1.5 * early + 20],
    [
      "heap a charge, the logs being full",
      growth === undefined ? "too short to tell" : `${growth.toFixed(1)} kB`,
      `${KB_A_CHARGE} kB`,
      growth === undefined ? undefined : growth <= KB_A_CHARGE,
    ],
    ["resident at the end", `${(last.rss / MB).toFixed(0)} MB`, "-", true],
    [
      "asked to end, it ended with",
      `${ending.code} in ${(ending.tookMs / 1000).toFixed(1)} s`,
      "0",
      ending.code === 0,
    ],
    ["charges after a restart", `${ending.kept} of ${ending.charges}`, "all", ending.kept === ending.charges],
  ];
}

/** In kB a charge. The least of some lines is what a garbage collection has left. */
function growthOf(windows) {
  const some = Math.floor(windows.length / 3);
  const [first, last] = [windows.slice(0, some), windows.slice(-some)];
  const heapOf = (those) => Math.min(...those.map(({ heap }) => heap));
  return (heapOf(last) - heapOf(first)) / 1024 / (last[0].charges - first[0].charges);
}

/** Whether all that was answered is there again. */
async function endAndStartAgain(server, startServer) {
  const { charges } = await countsOf(server.port);
  const startedMs = performance.now();
  const limit = setTimeout(() => server.stop(), END_WITHIN_MS);
  const code = await server.end();
  clearTimeout(limit);
  const tookMs = performance.now() - startedMs;
  const again = await startServer();
  const kept = (await countsOf(again.port)).charges;
  await again.end();
  return { charges, code, tookMs, kept };
}

const folder = mkdtempSync(join(tmpdir(), "payments-sandbox-soak-"));
const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

async function main() {
  const measures = join(folder, "measures.jsonl");
  const receiver = await startReceiver();
  const program = sandbox(
    "--data",
    join(folder, "data.json"),
    "--clock",
    "60x",
    "--webhook-url",
    receiver.url,
  );
  const env = { NODE_OPTIONS: `--import ${PRELOAD}`, SOAK_MEASURES: measures };
  const startServer = () => start(program, { cwd: folder, env });
  try {
    const server = await startServer();
    const load = new MixedLoad(server.port);
    const takeMeasures = measuresOf(measures);
    const takeOwn = ownDelays();
    process.stdout.write(
      `${rate} calls a second for ${minutes} minutes${options.wait ? ", a wait each second" : ""}; load average before: ${loadavg()[0].toFixed(1)}\n\n`,
    );
    printed(HEAD);
    await load.start({ rate, waits: options.wait });
    const windows = [];
    const startedMs = performance.now();
    for (let count = 1; count * WINDOW_MS <= minutes * 60_000; count++) {
      await new Promise((resolve) => setTimeout(resolve, startedMs + count * WINDOW_MS - performance.now()));
      windows.push(await windowOf(load, server, takeMeasures, takeOwn));
      printed(rowOf((count * WINDOW_MS) / 1000, windows.at(-1)));
    }
    await load.stop();
    const ending = await endAndStartAgain(server, startServer);
    const found = verdicts(windows, load, ending);
    const mark = (isGood) => (isGood === undefined ? "?" : isGood ? "ok" : "LOOK");
    const rows = found.map(([what, was, aim, isGood]) => [what, was, aim, mark(isGood)]);
    process.stdout.write(`\n${table("Verdict", ["", "was", "aim", ""], rows)}`);
    for (const failure of load.failures().slice(0, 10)) process.stdout.write(`${failure}\n`);
    process.exitCode = found.some(([, , , isGood]) => isGood === false) ? 1 : 0;
  } finally {
    stopAll();
    await receiver.stop();
    removeFolder();
  }
}

for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    stopAll();
    // The receiver goes with this process.
    removeFolder();
    process.exit(130);
  });
await main();
