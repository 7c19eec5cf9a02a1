import { Catalogue } from "../../src/core/domain/catalogue.js";
import { decodeChange } from "../../src/core/engine/encode-change.js";
import { auditState } from "../../src/core/engine/intake/read-state.js";
import type { JournalEntry, StateDump } from "../../src/core/engine/records.js";
import { State } from "../../src/core/engine/state.js";
import { resolveSettings } from "../../src/core/schema/settings.js";
import { pause } from "../../src/core/time/timers.js";
import { loadShippedContent } from "../../src/tools/scenario/shipped.js";
import type { Random } from "../simulation/random.js";
import type { Postgres } from "../support/postgres.js";
import { Receiver } from "../support/receiver-server.js";
import { type Started, startServer } from "../support/started.js";

const PROCESSES = 3;
const NAMESPACES = ["default", "n1", "n2", "n3", "n4"];
const CALLERS = 6;
const LEASE_MS = 1_500;
/** Longer than a lease, a start or a webhook retry takes. */
const PATIENCE_MS = 90_000;

/** A charge, or a withdrawal that is retried with its key. */
interface Order {
  readonly namespace: string;
  readonly key: string;
  readonly kind: "charge" | "withdrawal";
  /** Undefined until the response. */
  id?: string;
  /** True if the database refused it, so that it is not stored. */
  isRefused?: boolean;
  /** Rank of the status in the latest read. */
  rank: number;
}

/** Statuses of a charge in the default scenario. */
const COURSE = ["PENDING", "AWAITING_PAYMENT", "PROCESSING", "COMPLETED"];

export interface Tally {
  orders: number;
  answered: number;
  reads: number;
  /** Calls with a 503, calls with a 500, and calls whose connection closed. */
  refused: number;
  failed: number;
  broken: number;
  takeovers: number;
  [round: string]: number;
}

/** Three processes on one database, some of which are killed, paused or restarted. */
export class Trial {
  readonly tally: Tally = {
    orders: 0,
    answered: 0,
    withdrawals: 0,
    reads: 0,
    refused: 0,
    failed: 0,
    broken: 0,
    takeovers: 0,
  };
  readonly #postgres: Postgres;
  readonly #url: string;
  readonly #random: Random;
  readonly #receiver: Receiver;
  readonly #processes: Started[] = [];
  readonly #orders: Order[] = [];
  readonly #destinations = new Map<string, string>();
  #isOver = false;
  #failure: Error | undefined;

  private constructor(postgres: Postgres, random: Random, receiver: Receiver) {
    this.#postgres = postgres;
    this.#url = postgres.url(`lease=${LEASE_MS}ms`);
    this.#random = random;
    this.#receiver = receiver;
  }

  static async begin(postgres: Postgres, random: Random): Promise<Trial> {
    const trial = new Trial(postgres, random, await Receiver.open());
    for (let index = 0; index < PROCESSES; index++) trial.#processes.push(await trial.#start());
    // A trigger logs every commit in a table that no process changes; another refuses orders while it is told to.
    await postgres.query(
      trial.#url,
      `create table trace (id int, seq bigint, before bigint, fence bigint, owner text, number serial);
      create function note() returns trigger language plpgsql as $$ begin
        insert into trace (id, seq, before, fence, owner) values (new.id, new.seq, old.seq, new.fence, new.owner);
        return new;
      end $$;
      create table refusing (is_on bool);
      create function refuse() returns trigger language plpgsql as $$ begin
        if new.body like '%"order-%' and random() < 0.3 and exists (select from refusing) then
          raise exception 'refused' using errcode = '22P05';
        end if;
        return new;
      end $$;
      create trigger refuse before insert on entries for each row execute function refuse();
      create trigger note after update of seq on namespaces for each row execute function note();`,
    );
    for (const [index, name] of NAMESPACES.entries())
      if (name !== "default")
        await trial.#call(index % PROCESSES, "PUT", `/_sandbox/namespaces/${name}`, "default", {});
    for (const name of NAMESPACES) {
      const funds = { currency: "KES", amount: "900000.00" };
      await trial.#answered("POST", "/_sandbox/balances", name, funds);
      const receiver = {
        type: "mobile_money",
        currency: "KES",
        phone_number: "+254700000001",
        provider: "SimbaPesa Sandbox",
      };
      const { json } = await trial.#answered("POST", "/api/v1/payouts/destinations", name, receiver);
      trial.#destinations.set(name, json.destination_id);
    }
    return trial;
  }

  #start(): Promise<Started> {
    const webhooks = ["--webhook-url", this.#receiver.url.replace("/hooks", "/{namespace}")];
    return startServer(["--data", this.#url, "--seed", "trial", ...webhooks]);
  }

  /** Calls one process; returns undefined when the connection closed. */
  async #call(
    index: number,
    method: string,
    path: string,
    namespace: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Called | undefined> {
    try {
      const response = await fetch(`${this.#processes[index]!.url}${path}`, {
        method,
        headers: {
          authorization: "Bearer sk_test_sandbox",
          "sandbox-namespace": namespace,
          ...(namespace === "default" ? {} : { authorization: `Bearer sk_test_ns_${namespace}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(10_000),
      });
      const json = await response.json();
      if (response.status === 503) {
        if (json.error.code !== "STORAGE_AWAY") throw new Unexpected(JSON.stringify(json));
        this.tally.refused++;
      } else if (response.status === 500 && this.tally.refuse! > 0) {
        this.tally.failed++;
      } else if (response.status >= 500) throw new Unexpected(`${method} ${path}: ${JSON.stringify(json)}`);
      return { status: response.status, json, isAway: response.headers.has("sandbox-storage") };
    } catch (error) {
      if (error instanceof Unexpected) throw error;
      this.tally.broken++;
      return undefined;
    }
  }

  /** Calls one process after another until one responds. */
  async #answered(method: string, path: string, namespace: string, body?: unknown, headers = {}) {
    for (const from = Date.now(); Date.now() - from < PATIENCE_MS; ) {
      const answer = await this.#call(
        this.#random.int(0, PROCESSES - 1),
        method,
        path,
        namespace,
        body,
        headers,
      );
      if (answer !== undefined && answer.status < 500) return answer;
      await pause(50);
    }
    throw new Unexpected(`${method} ${path} in ${namespace}: no answer within ${PATIENCE_MS} ms`);
  }

  async #buy(): Promise<void> {
    const namespace = this.#random.pick(NAMESPACES);
    const order: Order = { namespace, kind: "charge", key: `order-${this.tally.orders++}`, rank: 0 };
    const pricing = { base_currency: "NGN", amount: "100.00" };
    const payment = { pricing, payment_method: "bank_transfer" };
    const quote = await this.#answered("POST", "/api/v1/payments/quotes", namespace, payment);
    if (quote.status !== 200) throw new Unexpected(JSON.stringify(quote.json));
    this.#orders.push(order);
    const body = {
      ...payment,
      quote_id: quote.json.quote_id,
      bank_account_number: "0123456789",
      customer_email: "a@example.test",
      metadata: { order: order.key },
    };
    const made = await this.#call(
      this.#random.int(0, PROCESSES - 1),
      "POST",
      "/api/v1/payments/whitelabel",
      namespace,
      body,
    );
    if (made?.status === 500) order.isRefused = true;
    if (made === undefined || made.status >= 500) return;
    // The quote may have expired.
    if (made.status !== 200 && made.json.error.details?.quote_id === undefined)
      throw new Unexpected(JSON.stringify(made.json));
    order.id = made.json.charge_id;
    this.tally.answered++;
  }

  async #withdraw(): Promise<void> {
    const namespace = this.#random.pick(NAMESPACES);
    const order: Order = { namespace, kind: "withdrawal", key: `order-${this.tally.orders++}`, rank: 0 };
    this.#orders.push(order);
    const destination = this.#destinations.get(namespace);
    const body = { destination_id: destination, amount: "500.00", currency: "KES", reference: order.key };
    const key = { "idempotency-key": order.key };
    const made = await this.#answered("POST", "/api/v1/payouts/withdrawals", namespace, body, key);
    if (made.status !== 200) throw new Unexpected(JSON.stringify(made.json));
    order.id = made.json.withdrawal_id;
    this.tally.answered++;
    this.tally.withdrawals!++;
  }

  /** Checks that a read is not older than an earlier response. */
  async #read(order: Order): Promise<void> {
    const { rank } = order;
    const path = `/api/v1/payments/charges/${order.id}`;
    const { status, json, isAway } = await this.#answered("GET", path, order.namespace);
    this.tally.reads++;
    if (status !== 200) throw new Unexpected(`${order.key} is lost: ${JSON.stringify(json)}`);
    const now = COURSE.indexOf(json.status);
    if (now < 0 || (now < rank && !isAway))
      throw new Unexpected(`${order.key} was ${COURSE[rank]}, and a later read says ${json.status}`);
    if (!isAway) order.rank = Math.max(order.rank, now);
  }

  async #load(): Promise<void> {
    try {
      while (!this.#isOver && this.#failure === undefined) {
        const known = this.#orders.filter(({ kind, id }) => kind === "charge" && id !== undefined);
        const what = this.#random.weighed({ buy: 3, withdraw: 2, read: 4 });
        if (what === "withdraw") await this.#withdraw();
        else if (known.length < 3 || what === "buy") await this.#buy();
        else await this.#read(this.#random.pick(known));
      }
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  /** Runs rounds with one failure each, then the audit. */
  async run(rounds: number): Promise<void> {
    const callers = Array.from({ length: CALLERS }, () => this.#load());
    for (let round = 0; round < rounds && this.#failure === undefined; round++) {
      const kind = this.#random.weighed({ kill: 4, pause: 4, stop: 2, database: 2, refuse: 3 });
      this.tally[kind] = (this.tally[kind] ?? 0) + 1;
      await this.#misfortune(kind);
      const goal = this.tally.answered + this.#random.int(1, 20);
      for (
        const from = Date.now();
        this.tally.answered < goal && this.#failure === undefined;
        await pause(10)
      )
        if (Date.now() - from > PATIENCE_MS) throw new Unexpected("no order is answered any more");
    }
    this.#isOver = true;
    await Promise.all(callers);
    const stderr = this.#processes.map(({ command }) => command.stderr.slice(-1_000)).join("\n");
    if (this.#failure !== undefined)
      throw new Error(`${this.#failure.message}\n${stderr}`, { cause: this.#failure });
    await this.#audit();
  }

  /** Has the database refuse statements until some calls have failed. */
  async #refuseSome(): Promise<void> {
    await this.#postgres.query(this.#url, "insert into refusing values (true)");
    const goal = this.tally.failed + this.#random.int(1, 10);
    for (const from = Date.now(); this.tally.failed < goal && this.#failure === undefined; await pause(10))
      if (Date.now() - from > PATIENCE_MS) throw new Unexpected("no statement is refused");
    await this.#postgres.query(this.#url, "delete from refusing");
  }

  async #misfortune(kind: "kill" | "pause" | "stop" | "database" | "refuse"): Promise<void> {
    if (kind === "refuse") return this.#refuseSome();
    const index = this.#random.int(0, PROCESSES - 1);
    const { command } = this.#processes[index]!;
    if (kind === "database") {
      await this.#postgres.stop(this.#random.pick(["SIGINT", "SIGQUIT"]));
      await pause(this.#random.int(0, 2 * LEASE_MS));
      await this.#postgres.restart();
    } else if (kind === "pause") {
      command.signal("SIGSTOP");
      await pause(LEASE_MS + this.#random.int(0, 2 * LEASE_MS));
      command.signal("SIGCONT");
    } else {
      const { code, stderr } = await command.stop(kind === "kill" ? "SIGKILL" : "SIGTERM");
      if (kind === "stop" && code !== 0) throw new Unexpected(`SIGTERM: exit ${code}: ${stderr}`);
      if (stderr.includes("internal error")) throw new Unexpected(stderr);
      await pause(this.#random.int(0, LEASE_MS));
      this.#processes[index] = await this.#start();
    }
  }

  async #audit(): Promise<void> {
    await this.#auditWebhooks();
    for (const { command } of this.#processes) {
      const { code, stderr } = await command.stop();
      if (code !== 0 || stderr.includes("internal error")) throw new Unexpected(`exit ${code}: ${stderr}`);
    }
    await this.#auditCommits();
    for (const namespace of NAMESPACES) this.#auditOrders(namespace, await this.#storedState(namespace));
  }

  /** Waits until each charge is complete and its events were received. */
  async #auditWebhooks(): Promise<void> {
    for (const namespace of NAMESPACES)
      for (const from = Date.now(); ; await pause(100)) {
        const { json } = await this.#answered("GET", "/_sandbox/state", namespace);
        const charges: [string, { status: string }][] = json.collections.charges;
        const seen = new Set(this.#receiver.received.map(({ event }) => event.id));
        const events = (json.collections.events as [string, { type: string }][]).filter(([, { type }]) =>
          type.startsWith("charge."),
        );
        const missing = events.filter(([id]) => !seen.has(id));
        if (missing.length === 0 && charges.every(([, { status }]) => status === "COMPLETED")) break;
        if (Date.now() - from > PATIENCE_MS)
          throw new Unexpected(`${namespace}: ${missing.length} of ${events.length} events never came`);
      }
  }

  /** Checks that sequence numbers are consecutive, and that locks have one owner. */
  async #auditCommits(): Promise<void> {
    const rows = await this.#postgres.query<Record<"id" | "seq" | "before" | "fence" | "owner", string>>(
      this.#url,
      "select id, seq, before, fence, owner from trace order by number",
    );
    const last = new Map<string, { seq: string; fence: number; owner: string }>();
    for (const { id, seq, before, fence, owner } of rows) {
      const was = last.get(id) ?? { seq: before, fence: 0, owner };
      const isNext = was.seq === before && Number(seq) > Number(before);
      const isOwners = Number(fence) > was.fence || (Number(fence) === was.fence && owner === was.owner);
      if (!isNext || !isOwners)
        throw new Unexpected(
          `namespace ${id}: ${before}→${seq} by ${owner} (${fence}) after ${JSON.stringify(was)}`,
        );
      if (Number(fence) > was.fence) this.tally.takeovers++;
      last.set(id, { seq, fence: Number(fence), owner });
    }
  }

  /** Loads the state as the next process would, and checks its ledger. */
  async #storedState(namespace: string): Promise<State> {
    const rows = await this.#postgres.query<{ seq: string; is_state: boolean; body: string }>(
      this.#url,
      `select e.seq, is_state, body from entries e join namespaces n using (id) where name = '${namespace}' order by 1`,
    );
    const [first, ...changes] = rows.slice(rows.findLastIndex(({ is_state }) => is_state));
    const state = State.from(JSON.parse(first!.body) as StateDump);
    for (const { seq, body } of changes) {
      if (Number(seq) !== state.seq + 1) throw new Unexpected(`${namespace}: ${seq} follows ${state.seq}`);
      state.apply(decodeChange(JSON.parse(body) as JournalEntry, state));
    }
    const { fixtures } = await loadShippedContent();
    auditState(state, { catalogue: new Catalogue(fixtures), settings: resolveSettings({}) });
    return state;
  }

  /** Checks that each acknowledged order has one charge. */
  #auditOrders(namespace: string, state: State): void {
    const { charges, withdrawals } = state.tables;
    const made = {
      charge: [...charges.values()].map(({ charge_id, metadata }) => [metadata.order, charge_id]),
      withdrawal: [...withdrawals.values()].map(({ withdrawal_id, reference }) => [reference, withdrawal_id]),
    };
    const events = [...state.tables.events.values()];
    for (const { kind, key, id, isRefused } of this.#orders.filter(
      (order) => order.namespace === namespace,
    )) {
      const ids = made[kind].filter(([name]) => name === key).map(([, one]) => one);
      if (ids.length > 1 || (id !== undefined && ids[0] !== id))
        throw new Unexpected(`${key}: answered ${id}, stored ${ids}`);
      if (isRefused && ids.length > 0) throw new Unexpected(`${key}: refused, and stored as ${ids}`);
      if (kind === "withdrawal" || id === undefined) continue;
      const course = events
        .filter(({ object_id }) => object_id === id)
        .map(({ body }) => /"status":"(\w+)"/.exec(body)?.[1]);
      if (String(course) !== String(COURSE.slice(1)))
        throw new Unexpected(`${key}: events in the order ${course}`);
    }
  }
}

class Unexpected extends Error {}

interface Called {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
  readonly json: any;
  /** True if the response comes from memory. */
  readonly isAway: boolean;
}
