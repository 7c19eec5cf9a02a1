import assert from "node:assert/strict";
import type { ExploreFlow, ExploreOptions, ExploreReport } from "../../../src/library/index.js";
import { openSandbox } from "../../support/api-client.js";
import { type IncidentApp, loadIncident } from "./incident-app.js";

type FlowOf = (app: IncidentApp) => ExploreFlow;

const checkoutOf = (body: Readonly<Record<string, unknown>>) => String(body.checkout_id);
const PHONE = "+254700000001";

/** Each incident of examples/incidents whose program is a Node app, as a team would test it. */
export const INCIDENT_FLOWS: Readonly<Record<string, FlowOf>> = {
  "retry-after-slow-success": ({ get, post }) => ({
    see: { wallet: ({ id }) => get(`/wallets/w-${id}`) },
    async flow({ id, email, press, advance }) {
      const topUp = { attempt: `a-${id}`, wallet: `w-${id}`, amount: "500.00", email, phone: PHONE };
      await press("top-up", () => post("/top-ups", topUp));
      await advance("10s");
      assert.equal((await get(`/wallets/w-${id}`)).balance, 500);
    },
  }),
  "webhook-before-the-row": ({ get, post }) => ({
    see: { order: ({ id }) => get(`/orders/${id}`) },
    async flow({ id, email, press, advance }) {
      await press("order", () => post("/orders", { order: id, email, phone: PHONE }));
      await advance("10s");
    },
  }),
  "duplicates-at-once": ({ get, post }) => ({
    see: { user: ({ id }) => get(`/users/u-${id}`) },
    async flow({ id, email, press, pay, advance }) {
      const topUp = { top_up: `t-${id}`, user: `u-${id}`, credits: 50, email };
      const checkout_id = checkoutOf(await press("top-up", () => post("/top-ups", topUp)));
      await pay({ checkout_id });
      await advance("10s");
      assert.equal((await get(`/users/u-${id}`)).balance, 210);
    },
  }),
  "job-against-webhook": ({ get, post }) => ({
    see: { contribution: ({ id }) => get(`/contributions/${id}`) },
    tick: () => post("/jobs/hourly"),
    async flow({ id, email, press, pay, advance }) {
      const gift = { contribution: id, amount: "500.00", email };
      const checkout_id = checkoutOf(await press("give", () => post("/contributions", gift)));
      await pay({ checkout_id });
      await advance("10s");
    },
  }),
  "late-payment-after-cancel": ({ get, post }) => ({
    see: { order: ({ id }) => get(`/orders/${id}`) },
    async flow({ id, email, press, advance }) {
      await press("order", () => post("/orders", { order: id, email, phone: PHONE }));
      await advance("10s");
    },
  }),
  "lookup-id-overwritten": ({ get, post }) => ({
    see: { member: ({ id }) => get(`/memberships/m-${id}`) },
    async flow({ id, email, press, pay, advance }) {
      const member = { member: `m-${id}`, email };
      const checkout_id = checkoutOf(await press("join", () => post("/memberships", member)));
      await pay({ checkout_id });
      await advance("10s");
    },
  }),
  "failed-not-on-the-list": ({ get, post }) => ({
    see: { deposit: ({ id }) => get(`/deposits/${id}`) },
    async flow({ id, email, press, pay, advance }) {
      const deposit = { deposit: id, email, amount: "19.99" };
      const checkout_id = checkoutOf(await press("deposit", () => post("/deposits", deposit)));
      await pay({ checkout_id, payment_method: "crypto", currency: "USDT_TRC20" });
      await advance("2m");
    },
  }),
  "seen-after-the-deadline": ({ get, post }) => ({
    see: { order: ({ id }) => get(`/orders/${id}`) },
    async flow({ id, email, press, pay, advance }) {
      const order = { order: id, email, phone: PHONE };
      const checkout_id = checkoutOf(await press("order", () => post("/orders", order)));
      await pay({ checkout_id, payment_method: "mobile_money", phone_number: PHONE });
      await advance("10s");
    },
  }),
  "success-url-as-proof": ({ get, post }) => ({
    see: { order: ({ id }) => get(`/orders/${id}`) },
    open: (url) => get(url.slice(new URL(url).origin.length)),
    async flow({ id, email, press, pay, advance }) {
      const checkout_id = checkoutOf(await press("order", () => post("/orders", { order: id, email })));
      await pay({ checkout_id });
      await advance("10s");
      await get(`/thanks?order=${id}`);
    },
  }),
};

/** Explores a program of an incident as a function. */
export async function exploreIncident(
  incident: string,
  program: string,
  options: ExploreOptions = {},
): Promise<ExploreReport> {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const flow = INCIDENT_FLOWS[incident]!(await loadIncident(incident, program, sandbox));
  return sandbox.explore({ name: incident, ...flow }, { ...options, throws: false });
}
