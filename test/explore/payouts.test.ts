// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { type Answer, type CallService, foundIn, openApp } from "./apps.js";

const flowOf = (reference: string) => `
name: payout
vars: { payout: "${reference}\${run.id}" }
steps:
  - pay: { amount: "1000.00", method: mobile_money, customer_email: "qa+\${run.id}@shop.test" }
  - app: POST /payouts
    body: { id: "\${payout}" }
  - advance: 10s
observe:
  - app: GET /payouts/\${payout}
tick:
  - app: POST /tick
`;

interface Payout {
  readonly id: string;
  status: string;
  credited: string;
  isBusy: boolean;
  destination_id?: string;
}

interface Faults {
  /** Credits the seller for each event of the same failed payout. */
  readonly creditsTwice?: boolean;
  /** Repeats a payout without a key when its response is lost. */
  readonly hasNoKey?: boolean;
  /** Pays out twice when the customer submits twice. */
  readonly hasNoLock?: boolean;
}

/** An app that pays out to sellers. */
const appOf =
  ({ creditsTwice, hasNoKey, hasNoLock }: Faults) =>
  (call: CallService): Answer => {
    const payouts = new Map<string, Payout>();
    const pay = async (payout: Payout) => {
      if ((payout.isBusy && !hasNoLock) || payout.status !== "new") return;
      payout.isBusy = true;
      try {
        const account = {
          type: "mobile_money",
          currency: "KES",
          phone_number: "+254700000009",
          provider: "simba_pesa",
        };
        payout.destination_id ??= (await call("POST", "payouts/destinations", account)).destination_id;
        const { destination_id } = payout;
        const withdrawal = { destination_id, amount: "600.00", currency: "KES", reference: payout.id };
        await call("POST", "payouts/withdrawals", withdrawal, hasNoKey ? undefined : payout.id);
        if (payout.status === "new") payout.status = "pending";
      } finally {
        payout.isBusy = false;
      }
    };
    const credit = (payout: Payout) => (payout.credited = `${Number(payout.credited) + 600}.00`);
    return async (route, body) => {
      const [, id = ""] = /^GET \/payouts\/(.*)$/.exec(route) ?? [];
      if (id !== "") return [200, payouts.get(id)];
      if (route === "POST /payouts") {
        const payout = payouts.get(body.id) ?? {
          id: body.id,
          status: "new",
          credited: "0.00",
          isBusy: false,
        };
        payouts.set(body.id, payout);
        await pay(payout);
        return [200, payout];
      }
      if (route === "POST /tick") for (const payout of payouts.values()) await pay(payout);
      const payout = payouts.get(body?.data?.reference);
      if (payout === undefined) return [200];
      if (body.type === "withdrawal.failed") {
        if (creditsTwice || payout.status !== "failed") credit(payout);
        payout.status = "failed";
      }
      if (body.type === "withdrawal.completed") payout.status = "paid";
      return [200];
    };
  };

it.concurrent.each<[string, Faults, reference: string, only: string, message: string]>([
  [
    "credits the seller for each event of a failed payout",
    { creditsTwice: true },
    "fail-",
    "webhook_twice at withdrawal.failed#1",
    'done more than once: body.credited is "1200.00", not "600.00"',
  ],
  [
    "repeats a payout when its response is lost",
    { hasNoKey: true },
    "out-",
    "response_lost at createWithdrawal#1",
    "paid out twice: 2 completed withdrawals, where a plain run has 1",
  ],
  [
    "pays out twice when a form is submitted twice",
    { hasNoKey: true, hasNoLock: true },
    "out-",
    "pressed_twice at POST /payouts#1",
    "paid out twice: 2 completed withdrawals, where a plain run has 1",
  ],
])("finds an app that %s", async (_, faults, reference, only, message) => {
  const app = await openApp(appOf(faults));
  const { report } = await foundIn(app, flowOf(reference), { only, save: temporaryFolder() });
  expect(report.findings).toMatchObject([{ oracle: "money", message }]);
  const file = report.findings[0]!.file!;
  expect(await app.sandbox.runFile(file, { app: app.app })).toMatchObject({ outcome: "failed" });
  const right = await openApp(appOf({}));
  expect(await right.sandbox.runFile(file, { app: right.app })).toMatchObject({ passed: true });
});

it.concurrent("explore finds nothing in a correct app with payouts", async () => {
  const { found, report } = await foundIn(await openApp(appOf({})), flowOf("fail-"));
  expect([found, report.findings[0]?.message]).toEqual([[], undefined]);
  expect(report.notes).toContain(
    "good practice: request_lost at createWithdrawal#1: the app calls createWithdrawal again with the same Idempotency-Key",
  );
  const tried = report.singles.map(({ kind, at }) => `${kind} ${at}`);
  for (const place of [
    "response_lost createWithdrawal#1",
    "response_held createWithdrawal#1",
    "webhook_first withdrawal.processing#1",
    "webhook_after_next withdrawal.processing#1",
    "job_at_once withdrawal.failed#1",
  ])
    expect(tried).toContain(place);
});

/** An app whose job pays out what was paid. Its receipts fail for ever after a failed call if `losesReceipts`. */
const sellersOf =
  (losesReceipts = false) =>
  (call: CallService): Answer => {
    const paid = new Set<string>();
    const paidOut = new Set<string>();
    const lost = new Set<string>();
    const account = {
      type: "mobile_money",
      currency: "KES",
      phone_number: "+254700000009",
      provider: "simba_pesa",
    };
    const destination = call("POST", "payouts/destinations", account);
    const terms = { pricing: { base_currency: "KES", amount: "10.00" }, payment_method: "card" };
    return async (route, body) => {
      const [, id] = /^GET \/sales\/(.*)$/.exec(route) ?? [];
      if (id !== undefined) return [200, { isPaid: paid.has(id), isPaidOut: paidOut.has(id) }];
      const [, sale] = /^POST \/receipts\/(.*)$/.exec(route) ?? [];
      if (sale !== undefined) {
        if (losesReceipts && lost.has(sale)) return [500];
        lost.add(sale);
        await call("POST", "payments/quotes", terms);
        lost.delete(sale);
      }
      if (body?.type === "charge.completed") {
        const { status, customer_email } = await call("GET", `payments/charges/${body.data.charge_id}`);
        if (status === "COMPLETED") paid.add(customer_email);
      }
      if (route === "POST /tick")
        for (const reference of paid) {
          if (paidOut.has(reference)) continue;
          const { destination_id } = await destination;
          const withdrawal = { destination_id, amount: "600.00", currency: "KES", reference };
          await call("POST", "payouts/withdrawals", withdrawal, reference);
          paidOut.add(reference);
        }
      return [200];
    };
  };

const SALE = `
name: sale
vars: { customer: "qa+\${run.id}@shop.test" }
steps:
  - app: POST /sales/\${customer}
  - pay: { amount: "1000.00", method: mobile_money, customer_email: "\${customer}" }
  - advance: 10s
  - app: POST /receipts/\${customer}
observe:
  - app: GET /sales/\${customer}
tick:
  - app: POST /tick
`;

it.concurrent("explore finds nothing in a correct app whose job pays out what was paid", async () => {
  const { report } = await foundIn(await openApp(sellersOf()), SALE);
  expect(report.findings.map(({ message }) => message)).toEqual([]);
});

it.concurrent("a payout that a failed run has left to the job is not counted in the next run", async () => {
  const { found, report } = await foundIn(await openApp(sellersOf(true)), SALE);
  expect(found.length).toBeGreaterThan(0);
  expect(report.findings.filter(({ message }) => /withdrawal/.test(message))).toEqual([]);
});
