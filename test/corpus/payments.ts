/** The service refused the call, so it had no effect. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly details: Readonly<Record<string, string>> = {},
  ) {
    super(`refused with ${status}`);
  }
}

/** The response does not show whether the call took effect. */
export class Unanswered extends Error {}

export interface Quote {
  readonly quote_id: string;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface Charge {
  readonly charge_id: string;
  readonly status: string;
  readonly amount: string;
  readonly currency: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly status_history: readonly unknown[];
}

export interface Page {
  readonly charge_id: string;
  readonly checkout_id: string;
  readonly checkout_url: string;
}

interface Wanted {
  readonly id: string;
  readonly email: string;
  readonly phone: string;
}

export interface ServiceAccess {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Timeout of a call, in milliseconds of wall time. */
  readonly patienceMs: number;
}

const PAGE_SIZE = 100;
const PRICING = { base_currency: "KES", amount: "500.00" };

/** The operations that a small shop uses. */
export class Payments {
  readonly #access: ServiceAccess;

  constructor(access: ServiceAccess) {
    this.#access = access;
  }

  /** Creates a quote, which is free and can be repeated. */
  quote({ email }: Wanted): Promise<Quote> {
    const body = { pricing: PRICING, payment_method: "mobile_money", customer_email: email };
    const ask = () => this.#call<Quote>("POST", "quotes", body);
    return ask().catch(ask);
  }

  /** Creates a mobile money payment. */
  charge({ id, email, phone }: Wanted, { quote_id }: Quote): Promise<Omit<Charge, "status_history">> {
    const ask = () =>
      this.#call<Charge>("POST", "whitelabel", {
        quote_id,
        pricing: PRICING,
        payment_method: "mobile_money",
        customer_email: email,
        phone_number: phone,
        metadata: { order_id: id },
      });
    return ask().catch((error) => {
      if (error instanceof Refused && error.status === 429) return ask();
      throw error;
    });
  }

  /** Creates a hosted page, which returns the customer to `back`. */
  page({ id, email }: Wanted, back: string): Promise<Page> {
    return this.#call("POST", "checkouts", {
      pricing: PRICING,
      customer_email: email,
      metadata: { order_id: id },
      success_url: back,
      cancel_url: back,
    });
  }

  read(chargeId: string): Promise<Charge> {
    return this.#call("GET", `charges/${chargeId}`);
  }

  /** Charges created since an instant, newest first. */
  async *since(instant: string): AsyncGenerator<string> {
    for (let offset = 0; ; offset += PAGE_SIZE) {
      const path = `payins?limit=${PAGE_SIZE}&offset=${offset}`;
      const { items } = await this.#call<{ items: { charge_id: string; created_at: string }[] }>("GET", path);
      for (const { charge_id, created_at } of items) {
        if (created_at < instant) return;
        yield charge_id;
      }
      if (items.length < PAGE_SIZE) return;
    }
  }

  async #call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const { baseUrl, apiKey, patienceMs } = this.#access;
    const ask = async () => {
      const answer = await fetch(`${baseUrl}/api/v1/payments/${path}`, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        signal: AbortSignal.timeout(patienceMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const { status, text } = await ask().catch((cause) => {
      throw new Unanswered(`no answer to ${method} ${path}`, { cause });
    });
    if (status >= 500) throw new Unanswered(`${method} ${path} was answered ${status}`);
    const answer = JSON.parse(text);
    if (status !== 200) throw new Refused(status, answer.error?.details);
    return answer;
  }
}
