// emulate from npm, a stateful emulator of other services: its payment intents are what comes nearest to a charge. It is
// installed into the temporary folder of a run. `node bench/emulate.mjs API-FILE` starts it.
import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { call, PAGE_ITEMS, requestText } from "./calls.mjs";

const SELF = fileURLToPath(import.meta.url);
const PACKAGE = "emulate@0.12.2";
const INSTALL_TIMEOUT_MS = 60_000;
const PATH = "/v1/payment_intents";
const INTENT = "amount=51250&currency=kes&metadata[order_id]=order-0001";
const FORM = "application/x-www-form-urlencoded";
/** Below the 5,000 requests an hour that a key may make; each job has its own key. */
export const MAX_REQUESTS = 4_900;
let keys = 0;

/** The server to start, or undefined if the registry cannot be reached. */
export function installEmulate(folder) {
  const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE];
  if (spawnSync("npm", args, { timeout: INSTALL_TIMEOUT_MS }).status !== 0) return undefined;
  return {
    name: "emulate",
    args: [SELF, join(folder, "node_modules", "emulate", "dist", "api.js")],
    health: `${PATH}?limit=1`,
  };
}

/** Creates a page of payment intents; returns the requests of each case by its name. */
export async function fillEmulate(port) {
  let intent = "";
  for (let made = 0; made < PAGE_ITEMS; made++)
    intent = await call(port, "POST", PATH, INTENT, {
      "content-type": FORM,
      authorization: `Bearer sk_test_bench_${keys}`,
    });
  const key = `sk_test_bench_${++keys}`;
  return {
    "GET charge": requestText("GET", `${PATH}/${JSON.parse(intent).id}`, "", { key }),
    "GET payins (50 items)": requestText("GET", `${PATH}?limit=50`, "", { key }),
    "POST whitelabel": requestText("POST", PATH, INTENT, { key, type: FORM }),
  };
}

if (process.argv[1] === SELF) {
  const { createEmulator } = await import(pathToFileURL(process.argv[2]).href);
  // It accepts no port 0.
  const port = await new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port: free } = server.address();
      server.close(() => resolve(free));
    });
  });
  await createEmulator({ service: "stripe", port });
  console.log(port);
}
