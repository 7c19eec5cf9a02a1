import type { Seen } from "./seen.js";

/** What takes money as soon as it is done: a second one is a second payment. */
const TAKES_MONEY = ["createWhitelabel", "createWithdrawal"];

/** The call that the app has made again though it could not know what had become of it, and without a look; if any. */
export function blindRepeat({ calls }: Seen): string | undefined {
  const open = new Set<string>();
  for (const { operation, method, status, isFlows } of calls) {
    if (isFlows) continue;
    if (method === "GET") open.clear();
    else if (open.has(operation)) return operation;
    else if (TAKES_MONEY.includes(operation) && (status === null || status >= 500)) open.add(operation);
  }
  return undefined;
}
