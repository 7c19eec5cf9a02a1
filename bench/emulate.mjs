// emulate from npm, a stateful emulator of other services, to hold the sandbox against: fetched when the bench runs, into
// a folder that goes with it, and no dependency of the package.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = "emulate@0.12.2";
const INSTALL_LIMIT_MS = 60_000;
const INTENTS = "/v1/payment_intents";
const INTENT = "amount=51250&currency=kes&metadata[order_id]=order-0001";

/** What it does that is most like a call of the sandbox: its emulation of Stripe. It has no call for health. */
export const EMULATE_REQUESTS = {
  health: `${INTENTS}?limit=1`,
  one: (intentId) => requestText("GET", `${INTENTS}/${intentId}`),
  list: () => requestText("GET", `${INTENTS}?limit=50`),
  make: () => requestText("POST", INTENTS, INTENT),
};

/**
 * @param {string} folder
 * @returns how to start it, or why it cannot be had: the registry is not there, most likely
 */
export function installEmulate(folder) {
  const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE];
  const { status, error, stderr } = spawnSync("npm", args, { encoding: "utf8", timeout: INSTALL_LIMIT_MS });
  if (status !== 0) {
    const why = /npm error (?!code)(.*)/.exec(stderr ?? "")?.[1] ?? error?.message ?? "npm failed";
    return { missing: `without emulate: ${PACKAGE} cannot be installed (${why})` };
  }
  const program = fileURLToPath(new URL("emulate-server.mjs", import.meta.url));
  const api = join(folder, "node_modules", "emulate", "dist", "api.js");
  return { server: { name: "emulate", args: [program, api], health: EMULATE_REQUESTS.health } };
}

let keys = 0;

/** It lets a key have 5,000 requests an hour: each job has one of its own, and stays below. */
function requestText(method, path, form) {
  const body =
    form === undefined
      ? ""
      : `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n`;
  const key = `sk_test_bench_${keys++}`;
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${body}\r\n${form ?? ""}`;
}

export const MOST_REQUESTS = 4_900;

/** A page of payment intents; the id of one. */
export async function fillEmulate(port, count) {
  const url = `http://127.0.0.1:${port}${INTENTS}`;
  const headers = {
    authorization: `Bearer sk_test_bench_${keys++}`,
    "content-type": "application/x-www-form-urlencoded",
  };
  let id;
  for (let made = 0; made < count; made++)
    id = (await (await fetch(url, { method: "POST", headers, body: INTENT })).json()).id;
  return id;
}
