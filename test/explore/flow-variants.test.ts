// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import { type Answer, type CallService, type FoundOptions, foundIn, type Json, openApp } from "./apps.js";

interface Order {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly lines: number[];
  readonly amount: string;
  status: string;
  charge_id?: string;
}

/** A mistake of the shop, or a rule of its own. */
interface Habit {
  readonly keyOf?: (email: string) => string;
  readonly storedName?: (name: string) => string;
  readonly priceOf?: (amount: string) => string;
  /** The price that the shop shows, whatever it charges. */
  readonly shownPrice?: string;
  readonly mostLines?: number;
  readonly refuses?: (body: Json) => readonly [status: number, body: object] | undefined;
  /** The coupon of an order that is not paid is gone. */
  readonly burnsCoupons?: true;
  /** Events of a customer's further orders are dropped. */
  readonly hearsOnce?: true;
  /** Signatures are computed over ASCII, so an event with other letters is refused. */
  readonly signsAscii?: true;
}

/** A shop with coupons that finds a customer's orders by e-mail and takes the price from the cart. */
const shopWith =
  (habit: Habit) =>
  (call: CallService): Answer => {
    const { keyOf = lower, storedName = same, priceOf = same, mostLines = 100, refuses } = habit;
    const orders: Order[] = [];
    const coupons = new Map<string, Order>();
    const pay = async (order: Order) => {
      const pricing = { base_currency: "KES", amount: priceOf(order.amount) };
      const asked = { pricing, payment_method: "mobile_money", customer_email: order.email };
      const { quote_id } = await call("POST", "payments/quotes", asked);
      const more = {
        quote_id,
        phone_number: "+254700000001",
        metadata: { order: order.id, name: order.name },
      };
      order.charge_id = (await call("POST", "payments/whitelabel", { ...asked, ...more })).charge_id;
    };
    const learn = ({ charge_id, status, metadata }: Json) => {
      const order = orders.find(({ id }) => id === metadata.order);
      if (order === undefined || order.status === "paid") return;
      const isFirst = orders.find(({ email }) => email === order.email) === order;
      if (habit.hearsOnce && !isFirst) return;
      order.charge_id = charge_id;
      if (status === "COMPLETED") order.status = "paid";
      if (/FAILED|EXPIRED/.test(status)) order.status = status.toLowerCase();
    };
    const isBurnt = (coupon: string) =>
      coupons.has(coupon) && (habit.burnsCoupons || !/failed|expired/.test(coupons.get(coupon)!.status));
    const place = async (body: Json): ReturnType<Answer> => {
      const refused = refuses?.(body);
      if (refused !== undefined) return refused;
      if (orders.some(({ id }) => id === body.order)) return [201];
      if (isBurnt(body.coupon)) return [409, { error: "the coupon has been used" }];
      const order: Order = {
        id: body.order,
        email: keyOf(body.email),
        name: storedName(body.name),
        lines: body.lines.slice(0, mostLines),
        amount: body.amount,
        status: "open",
      };
      orders.push(order);
      coupons.set(body.coupon, order);
      await pay(order).catch(() => {});
      return [201];
    };
    return async (route, body) => {
      const [, id, email] = /^GET \/orders\/(.*)\?email=(.*)$/.exec(route) ?? [];
      if (id !== undefined) {
        const order = orders.find((one) => one.id === id && one.email === lower(email!));
        const { charge_id: _charge, ...view } = order ?? {};
        return [200, { ...view, price: habit.shownPrice ?? order?.amount }];
      }
      if (route === "POST /orders") return place(body);
      if (route === "POST /webhooks" && habit.signsAscii && /[^ -~]/.test(JSON.stringify(body))) return [400];
      if (route === "POST /webhooks") learn(body.data);
      if (route === "POST /tick")
        for (const order of orders.filter(({ status }) => status === "open")) {
          if (order.charge_id === undefined) await pay(order);
          learn(await call("GET", `payments/charges/${order.charge_id}`));
        }
      return [200];
    };
  };

const lower = (text: string) => text.toLowerCase();
const same = (text: string) => text;

const FLOW = `name: cart
vars: { email: "anna+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - app: POST /coupons
    body: { coupon: "ten-\${run.id}" }
  - app: POST /orders
    body: { order: "\${order}", coupon: "ten-\${run.id}", email: "\${email}", name: Anna Otieno, amount: "1105.10", lines: [1] }
    expect: { status: 201 }
  - advance: 10s
observe:
  - app: GET /orders/\${order}?email=\${email}
tick:
  - app: POST /tick
`;

const explored = async (habit: Habit, options: FoundOptions = {}, flow = FLOW) => {
  const { report, found } = await foundIn(await openApp(shopWith(habit)), flow, options);
  const isOfVariant = (note: string) => /^(awkward_value|tried_again) at /.test(note);
  return {
    found,
    messages: report.findings.map(({ message }) => message),
    notes: report.notes.filter(isOfVariant),
    report,
  };
};

describe.concurrent("explore", () => {
  it("says nothing of a shop that takes awkward values, and a second try after each failed payment", async () => {
    const { found, notes, report } = await explored({});
    expect({ found, notes }).toEqual({ found: [], notes: [] });
    const tried = report.singles.filter(({ kind }) => kind === "awkward_value" || kind === "tried_again");
    expect(tried.map(({ at, outcome }) => `${at}: ${outcome}`)).toEqual([
      "name: right",
      "e-mail: right",
      "amount: right",
      "list: right",
      "charge#1 declined: right",
      "charge#1 expired: right",
    ]);
  });

  it("finds lost money: an order hidden by its e-mail, a rounded amount, a second payment ignored", async () => {
    const { messages, notes } = await explored({
      keyOf: same,
      priceOf: (amount) => `${Math.round(Number(amount) * 10) / 10}`,
      hearsOnce: true,
    });
    const second = "when the customer tries again after a payment that is";
    const hidden = 'paid, and the app shows nothing of it: {"id":"order-${run.id}-2"';
    expect(messages).toEqual([
      "with the e-mail ANNA+…@SHOP.TEST: paid, and the app shows nothing of it: {}",
      "with the amount 19.99: the app charges 20.00 KES, not 19.99",
      expect.stringContaining(`${second} declined: ${hidden}`),
      expect.stringContaining(`${second} expired: ${hidden}`),
    ]);
    expect(notes).toEqual([]);
  });

  it("finds a price that the customer sets: what the view says is not what she pays", async () => {
    const only = "awkward_value at amount";
    const priced = FLOW.replace("=${email}\ntick", "=${email}\n    price: price\ntick");
    const { messages } = await explored({ shownPrice: "1105.10" }, { only }, priced);
    expect(messages).toEqual([
      "with the amount 19.99: the app asks for 19.99 KES, and its price is 1105.10 KES",
    ]);
    expect((await explored({}, { only }, priced)).found).toEqual([]);
  });

  it("finds a name whose events the shop refuses: its payment is lost unless a job asks the service", async () => {
    const only = "awkward_value at name";
    const [withoutJob] = FLOW.split("tick:");
    const { messages } = await explored({ signsAscii: true }, { only }, withoutJob);
    expect(messages).toEqual([
      expect.stringContaining("with the name Zoë 北: paid, and the app shows nothing of it: "),
    ]);
    const { report } = await explored({ signsAscii: true }, { only });
    expect(report.findings).toMatchObject([{ oracle: "manners" }]);
  });

  it("notes a mangled name, a cut list, and a coupon that a failed payment burns", async () => {
    const { found, notes } = await explored({
      storedName: (name) => Buffer.from(name, "latin1").toString("latin1"),
      mostLines: 20,
      burnsCoupons: true,
    });
    expect({ found, notes }).toEqual({
      found: [],
      notes: [
        'awkward_value at name: with the name Zoë 北, GET /orders/order-…?email=anna+…@shop.test: unlike in a plain run, body.name is "Zoë \\u0017"',
        "awkward_value at list: with 21 entries: lines has 20 of 21 entries",
        ...["declined", "expired"].map(
          (end) =>
            `tried_again at charge#1 ${end}: when the customer tries again after a payment that is ${end}, POST /orders: the app responds 409: the coupon has been used`,
        ),
      ],
    });
  });

  it("notes an error and a refusal without a reason, but no refusal that says why", async () => {
    const { found, notes } = await explored({
      refuses: ({ name, email, amount }) => {
        if (name.includes("北")) return [500, { error: "bad byte" }];
        if (email.startsWith("ANNA")) return [400, {}];
        return amount === "19.99" ? [422, { error: "shillings only" }] : undefined;
      },
    });
    expect({ found, notes }).toEqual({
      found: [],
      notes: [
        "awkward_value at name: with the name Zoë 北, POST /orders: the app responds 500: bad byte",
        "awkward_value at e-mail: with the e-mail ANNA+…@SHOP.TEST, POST /orders: the app responds 400",
      ],
    });
  });
});
