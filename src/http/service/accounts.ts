import type { Caller } from "../../engine/caller.js";
import { readBalances } from "../../engine/commands/accounts.js";
import type { Call } from "../operations.js";
import { ok, type Reply } from "../reply.js";

export function balances({ namespace, caller }: Call<Caller>): Reply {
  return ok(namespace.read(readBalances(caller)));
}
