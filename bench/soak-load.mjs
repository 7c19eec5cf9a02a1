import { Agent, request } from "node:http";
import { connect } from "node:net";
import { API_KEY } from "./requests.mjs";

const ANSWER_LIMIT_MS = 60_000;
/** More are not sent: a server that does not keep up must not be buried. */
const MOST_AT_ONCE = 200;
const TICK_MS = 10;
/** The newest charges and quotes: what an app would come back to. */
const REMEMBERED = 200;

const PRICING = { base_currency: "KES", amount: "250.00" };
const CUSTOMER = { customer_email: "ada@shop.test", customer_name: "Ada Obi" };
const WAIT = { for: "charge", match: { customer_email: "nobody@shop.test" }, timeout: "50ms" };
const DESTINATION = {
  type: "mobile_money",
  currency: "KES",
  country: "KE",
  phone_number: "+254700000001",
  provider: "SimbaPesa Sandbox",
};

/**
 * What apps and those who watch them do, so many requests a second however fast they are answered. 4xx is an answer
 * like any other; what fails is a 5xx, and what is not answered at all.
 */
export class MixedLoad {
  answered = 0;
  failed = 0;
  /** Not sent, for too many were under way. */
  leftOut = 0;
  /** How long each answer took, since somebody last asked. */
  #tookMs = [];
  #failures = new Map();
  #port;
  #agent = new Agent({ keepAlive: true, maxSockets: MOST_AT_ONCE });
  #underWay = 0;
  #sent = 0;
  #turn = 0;
  #charges = [];
  #destination;
  #timers = [];
  #stalled;

  constructor(port) {
    this.#port = port;
  }

  async start({ rate, waits }) {
    // Two that nobody ever looks at: a delivery in a mailbox, and a stream.
    await this.#ask("POST", "/_sandbox/webhook-endpoints", { mailbox: "unread", events: ["webhook.test"] });
    await this.#ask("POST", "/_sandbox/events", { type: "webhook.test", data: {} });
    this.#stalled = connect(this.#port, "127.0.0.1", () => {
      this.#stalled.write("GET /_sandbox/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
      this.#stalled.pause();
    });
    this.#stalled.on("error", () => {});
    this.#destination = (await this.#ask("POST", "/api/v1/payouts/destinations", DESTINATION)).destination_id;
    const startedMs = performance.now();
    const tick = () => {
      const due = Math.floor(((performance.now() - startedMs) / 1_000) * rate);
      for (; this.#sent < due; this.#sent++) this.#next();
    };
    this.#timers.push(
      setInterval(tick, TICK_MS),
      setInterval(() => void this.#namespace(), 10_000),
    );
    if (waits) this.#timers.push(setInterval(() => void this.#ask("POST", "/_sandbox/wait", WAIT), 1_000));
  }

  /** Resolves when everything sent is answered, or never will be. */
  async stop() {
    for (const timer of this.#timers) clearInterval(timer);
    while (this.#underWay > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    this.#stalled.destroy();
    this.#agent.destroy();
  }

  /** How long the answers since the last call took, shortest first. */
  takeTookMs() {
    return this.#tookMs.splice(0).sort((a, b) => a - b);
  }

  /** What failed and how often, most often first. */
  failures() {
    return [...this.#failures].sort((a, b) => b[1] - a[1]).map(([what, times]) => `${times} x ${what}`);
  }

  /** Of a hundred turns each kind has its share. */
  #next() {
    const turn = (this.#turn++ * 37) % 100;
    const charge = this.#charges[this.#turn % Math.max(1, this.#charges.length)];
    if (turn < 20 || charge === undefined) void this.#pay();
    else if (turn < 45) void this.#ask("GET", `/api/v1/payments/charges/${charge}`);
    else if (turn < 57) void this.#ask("GET", "/api/v1/payments/payins?limit=50&status=COMPLETED");
    else if (turn < 67) void this.#ask("GET", "/api/v1/accounts/balances");
    else if (turn < 73) void this.#ask("POST", "/api/v1/payments/checkouts", this.#checkout());
    else if (turn < 78) void this.#ask("POST", "/api/v1/payments/quotes", { payment_method: "coins" });
    else if (turn < 82) void this.#ask("POST", `/_sandbox/charges/${charge}/refund`, {});
    else if (turn < 86) void this.#withdraw();
    else if (turn < 90) void this.#ask("GET", "/_sandbox/requests?limit=20");
    else if (turn < 93) void this.#ask("GET", "/_sandbox/deliveries?status=pending&limit=20");
    else if (turn < 95) void this.#ask("GET", `/_sandbox/charges/${charge}/timeline`);
    else if (turn < 97) void this.#ask("GET", "/_sandbox/charges?limit=20");
    else if (turn < 98) void this.#ask("GET", "/_sandbox/coverage");
    else if (turn < 99) void this.#ask("GET", "/_sandbox/dashboard");
    else void this.#ask("GET", "/api/v1/nothing");
  }

  async #pay() {
    const quote = await this.#ask("POST", "/api/v1/payments/quotes", {
      pricing: PRICING,
      payment_method: "mobile_money",
    });
    if (quote.quote_id === undefined) return;
    const paid = await this.#ask("POST", "/api/v1/payments/whitelabel", {
      ...CUSTOMER,
      pricing: PRICING,
      payment_method: "mobile_money",
      phone_number: "+254700000001",
      quote_id: quote.quote_id,
      metadata: { order_id: `order-${this.#turn}` },
    });
    if (paid.charge_id === undefined) return;
    this.#charges.push(paid.charge_id);
    if (this.#charges.length > REMEMBERED) this.#charges.shift();
  }

  #checkout() {
    return {
      ...CUSTOMER,
      pricing: PRICING,
      payment_methods: ["mobile_money", "card"],
      expires_in_minutes: 30,
    };
  }

  #withdraw() {
    const order = { destination_id: this.#destination, amount: "100.00", currency: "KES" };
    const headers = { "idempotency-key": `payout-${Math.floor(this.#turn / 60)}` };
    return this.#ask("POST", "/api/v1/payouts/withdrawals", order, headers);
  }

  /** A test file's namespace: made, used and deleted. */
  async #namespace() {
    const { name, api_key } = await this.#ask("POST", "/_sandbox/namespaces", {});
    if (name === undefined) return;
    const headers = { authorization: `Bearer ${api_key}` };
    await this.#ask("POST", "/api/v1/payments/checkouts", this.#checkout(), headers);
    await this.#ask("POST", "/_sandbox/reset", {}, headers);
    await this.#ask("DELETE", `/_sandbox/namespaces/${name}`);
  }

  /** The answer's JSON; nothing of one that failed. */
  async #ask(method, path, body, headers = {}) {
    if (this.#underWay >= MOST_AT_ONCE) {
      this.leftOut++;
      return {};
    }
    this.#underWay++;
    const startedMs = performance.now();
    try {
      const { status, text, type } = await this.#send(method, path, body, headers);
      this.#tookMs.push(performance.now() - startedMs);
      if (status >= 500) throw new Error(`${status} ${text.slice(0, 200)}`);
      this.answered++;
      return type?.includes("json") ? JSON.parse(text) : {};
    } catch (error) {
      this.failed++;
      const what = `${method} ${path.replace(/(ch|co|wd)_\w+|ns\d+/, "ID").replace(/\?.*/, "")}: ${error.message}`;
      this.#failures.set(what, (this.#failures.get(what) ?? 0) + 1);
      return {};
    } finally {
      this.#underWay--;
    }
  }

  #send(method, path, body, headers) {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const all = {
      authorization: `Bearer ${API_KEY}`,
      ...(json === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(json) }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { host: "127.0.0.1", port: this.#port, method, path, agent: this.#agent, headers: all },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk) => {
            text += chunk;
          });
          response.once("error", reject);
          response.once("end", () =>
            resolve({ status: response.statusCode, text, type: response.headers["content-type"] }),
          );
        },
      );
      outgoing.setTimeout(ANSWER_LIMIT_MS, () => outgoing.destroy(new Error("no answer within a minute")));
      outgoing.once("error", (error) => {
        // The server has closed a connection that was kept alive just when it was used again: nobody's fault.
        if (outgoing.reusedSocket && error.code === "ECONNRESET")
          this.#send(method, path, body, headers).then(resolve, reject);
        else reject(error);
      });
      outgoing.end(json);
    });
  }
}
