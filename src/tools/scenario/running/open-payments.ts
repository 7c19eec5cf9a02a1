import type { ChargeStatus, WithdrawalStatus } from "../../../core/schema/common.js";
import type { Client } from "./client.js";
import { type LogRow, readNewestId, readRecordsSince, recordIdOf } from "./control-lists.js";

type OpenList = "charges" | "withdrawals";
type Status = ChargeStatus | WithdrawalStatus;

/** How an open charge or withdrawal ends without money. */
const ENDS: Readonly<Partial<Record<Status, Status>>> = {
  PENDING: "CANCELLED",
  AWAITING_PAYMENT: "CANCELLED",
  PROCESSING: "FAILED",
};

const REASON = "the run that made it has failed";
const IDLE_TIMEOUT = "5s";

/** The charges and withdrawals of a run. */
export class OpenPayments {
  readonly #client: Client;
  readonly #lastIds = new Map<OpenList, string | undefined>();

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Call before the first step: earlier records do not belong to the run. */
  static async since(client: Client): Promise<OpenPayments> {
    const open = new OpenPayments(client);
    for (const list of ["charges", "withdrawals"] as const)
      open.#lastIds.set(list, await readNewestId(client, list));
    return open;
  }

  /** Ends those that are open: otherwise they go on, and send webhooks, in the next run that moves the clock. */
  async end(): Promise<void> {
    const ended: string[] = [];
    for (const [list, last] of this.#lastIds)
      for (const row of await readRecordsSince(this.#client, list, last)) {
        const to = endOf(row);
        if (to === undefined) continue;
        ended.push(recordIdOf(list, row));
        const [id, change] = [recordIdOf(list, row), { to, reason: REASON }];
        if (list === "charges") await this.#client.undo("transitionCharge", { charge_id: id, ...change });
        else await this.#client.undo("transitionWithdrawal", { withdrawal_id: id, ...change });
      }
    if (ended.length > 0) await this.#client.wait({ for: "idle", timeout: IDLE_TIMEOUT });
  }
}

function endOf({ status }: LogRow): Status | undefined {
  return ENDS[status as Status];
}
