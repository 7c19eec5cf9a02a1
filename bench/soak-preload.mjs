// Loaded into the server by `soak.mjs` (NODE_OPTIONS=--import): once a second it writes down how the process is, from
// inside, where the event loop's delay can be seen. Nothing of the sandbox knows of it.
import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

const EVERY_MS = 1_000;
const file = process.env.SOAK_MEASURES;

if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  setInterval(() => {
    const { rss, heapUsed, external } = process.memoryUsage();
    const measure = {
      delayMs: { p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 },
      rss,
      heapUsed,
      external,
      resources: process.getActiveResourcesInfo(),
    };
    delay.reset();
    appendFileSync(file, `${JSON.stringify(measure)}\n`);
  }, EVERY_MS).unref();
}
