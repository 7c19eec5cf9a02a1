import { setTimeout as pause } from "node:timers/promises";

const TRIES = 4;
/** How many of the newest charges are looked through for one whose response was lost. */
const LOOK_BACK = 20;

/** The service has answered, and the answer is no. */
export class PaymentsError extends Error {
  constructor(status, { code, message, details }) {
    super(`${code}: ${message}`);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** No answer came. What was asked for may have been done all the same. */
export class NoAnswer extends Error {}

/** Whether the same call may work in a moment. A 4xx other than "too many" is a mistake and stays one. */
function isPassing(error) {
  return error instanceof NoAnswer || error.status === 429 || error.status >= 500;
}

/** The part of the payments service this shop uses. */
export class Payments {
  #baseUrl;
  #apiKey;
  #pauseMs;

  constructor({ baseUrl, apiKey, pauseMs = 250 }) {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
    this.#pauseMs = pauseMs;
  }

  /** A quote costs nothing, so it may simply be asked for again. */
  quote(request) {
    return this.#persist(() => this.#call("POST", "/api/v1/payments/quotes", request));
  }

  /**
   * One charge for an order, however often the response is lost. The service knows no idempotency keys here: the order's
   * number goes along as metadata, and before a second try the shop looks whether the first one has made a charge.
   *
   * @param wasTried whether there was a try before, of which it is not known what became
   */
  charge(orderId, request, wasTried = false) {
    const body = { ...request, metadata: { ...request.metadata, order_id: orderId } };
    return this.#persist(
      async (attempt) =>
        ((wasTried || attempt > 1) && (await this.#chargeOf(orderId))) ||
        this.#call("POST", "/api/v1/payments/whitelabel", body),
    );
  }

  readCharge(chargeId) {
    return this.#persist(() => this.#call("GET", `/api/v1/payments/charges/${chargeId}`));
  }

  destination(request) {
    return this.#persist(() => this.#call("POST", "/api/v1/payouts/destinations", request));
  }

  /** Withdrawals do know idempotency keys: the same key with the same body is the same withdrawal. */
  withdraw(idempotencyKey, request) {
    return this.#persist(() =>
      this.#call("POST", "/api/v1/payouts/withdrawals", request, { "idempotency-key": idempotencyKey }),
    );
  }

  async #chargeOf(orderId) {
    const { items } = await this.#call("GET", `/api/v1/payments/payins?limit=${LOOK_BACK}`);
    for (const { charge_id } of items) {
      // The list does not show metadata.
      const charge = await this.#call("GET", `/api/v1/payments/charges/${charge_id}`);
      if (charge.metadata?.order_id === orderId) return charge;
    }
    return undefined;
  }

  /** Tries again, with growing pauses, what may work in a moment. */
  async #persist(work) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(attempt);
      } catch (error) {
        if (attempt === TRIES || !isPassing(error)) throw error;
        await pause(this.#pauseMs * 2 ** (attempt - 1));
      }
    }
  }

  async #call(method, path, body, headers = {}) {
    const [status, answer] = await this.#send(method, path, body, headers);
    if (status !== 200) throw new PaymentsError(status, answer.error);
    return answer;
  }

  async #send(method, path, body, headers) {
    try {
      const response = await fetch(this.#baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${this.#apiKey}`, "content-type": "application/json", ...headers },
        body: body && JSON.stringify(body),
      });
      return [response.status, await response.json()];
    } catch (error) {
      throw new NoAnswer(`${method} ${path}: no answer`, { cause: error });
    }
  }
}
