import { Webhook } from "standardwebhooks";

/** A parsed response of the service. */
// biome-ignore lint/suspicious/noExplicitAny: the shop reads what it needs
export type Body = any;

/** The service refused the call, which had no effect. */
export class Refused extends Error {}

/** The response does not show whether the call took effect. */
export class Unanswered extends Error {}

export interface Account {
  readonly url: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
}

const PAGE_SIZE = 100;
const TRIES = 3;

/** Client of the payments service. */
export class Payments {
  readonly #account: Account;
  /** Time of the service's last response. */
  nowMs = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  async call(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Body> {
    const { url, apiKey } = this.#account;
    const headers: Record<string, string> = {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
    };
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    let response: Response;
    let answer: Body;
    try {
      response = await fetch(`${url}/api/v1/${path}`, { method, headers, ...content });
      answer = await response.json();
    } catch (cause) {
      throw new Unanswered(path, { cause });
    }
    this.nowMs = Date.parse(response.headers.get("sandbox-now") ?? "") || this.nowMs;
    if (response.status >= 500) throw new Unanswered(`${path}: ${response.status}`);
    if (response.status !== 200) throw new Refused(`${path}: ${response.status} ${answer.error?.message}`);
    return answer;
  }

  readCharge(id: string, tries = TRIES): Promise<Body> {
    return persist(() => this.call("GET", `payments/charges/${id}`), tries);
  }

  /** Finds a charge created since a time that `isWanted`, newest first. */
  async findCharge(since: string, isWanted: (charge: Body) => boolean): Promise<Body | undefined> {
    for (let offset = 0; ; offset += PAGE_SIZE) {
      const path = `payments/payins?limit=${PAGE_SIZE}&offset=${offset}`;
      const { items } = await persist(() => this.call("GET", path));
      for (const { charge_id, created_at } of items) {
        if (created_at < since) return undefined;
        const charge = await this.readCharge(charge_id);
        if (isWanted(charge)) return charge;
      }
      if (items.length < PAGE_SIZE) return undefined;
    }
  }

  async findWithdrawal(reference: string): Promise<Body | undefined> {
    for (let offset = 0; ; offset += PAGE_SIZE) {
      const path = `payouts/withdrawals?limit=${PAGE_SIZE}&offset=${offset}`;
      const { items } = await persist(() => this.call("GET", path));
      const found = items.find((one: Body) => one.reference === reference);
      if (found !== undefined || items.length < PAGE_SIZE) return found;
    }
  }

  /** Returns the event of a webhook; undefined if its signature is wrong. */
  verify(body: string, headers: Record<string, string>): Body | undefined {
    try {
      return new Webhook(this.#account.webhookSecret).verify(body, headers);
    } catch {
      return undefined;
    }
  }
}

/** Repeats a call that may be repeated. */
export async function persist<Result>(work: () => Promise<Result>, tries = TRIES): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === tries) throw error;
    }
  }
}

/** Runs the work of each key one after another. */
export class Locks {
  readonly #ends = new Map<string, Promise<unknown>>();

  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const end = (this.#ends.get(key) ?? Promise.resolve()).then(work);
    this.#ends.set(
      key,
      end.catch(() => {}),
    );
    return end;
  }
}
