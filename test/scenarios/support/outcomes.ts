import { expect } from "vitest";
import { type Api, later, okBody } from "../../support/api-client.js";

/** A status and its seconds after creation. */
export type Change = readonly [seconds: number, status: string];

interface Moving {
  readonly status: string;
}

/** Checks that each change happens exactly at its time. */
export async function expectChanges(
  api: Api,
  changes: readonly Change[],
  read: () => Promise<Moving>,
): Promise<void> {
  let before = "PENDING";
  for (const [seconds, status] of changes) {
    if (seconds > 0) {
      await advanceTo(api, later(seconds - 0.001));
      expect(await statusOf(read), `just before ${seconds} s`).toBe(before);
    }
    await advanceTo(api, later(seconds));
    expect(await statusOf(read), `at ${seconds} s`).toBe(status);
    before = status;
  }
  await api.sandbox.advance("30d");
  expect(await statusOf(read), "for good").toBe(before);
}

async function statusOf(read: () => Promise<Moving>): Promise<string> {
  return (await read()).status;
}

async function advanceTo(api: Api, to: string): Promise<void> {
  okBody(await api.advance({ to }));
}

export interface SandboxFields {
  readonly scenario: string | null;
  readonly scenario_asked: string | null;
  readonly timeline: unknown[];
  readonly notes: { readonly at: string; readonly note: string }[];
}

export async function readSandboxFields(api: Api, chargeId: string): Promise<SandboxFields> {
  return okBody(await api.get<{ sandbox: SandboxFields }>(`/_sandbox/charges/${chargeId}`)).sandbox;
}

export interface Withdrawal {
  readonly withdrawal_id: string;
  readonly status: string;
  readonly failure_reason: string | null;
}

/** Creates a balance and a payout destination. */
export async function createFundedDestination(api: Api): Promise<string> {
  await api.whitelabel(await api.checkoutBody({ pricing: { base_currency: "KES", amount: "1000.00" } }), {
    "sandbox-scenario": "instant",
  });
  const made = await api.post<{ destination_id: string }>("/api/v1/payouts/destinations", {
    type: "mobile_money",
    currency: "KES",
    phone_number: "+254700000009",
    provider: "simba_pesa",
  });
  return okBody(made).destination_id;
}

export async function withdraw(
  api: Api,
  destination_id: string,
  headers: Record<string, string> = {},
  more: Record<string, unknown> = {},
): Promise<Withdrawal> {
  const body = { destination_id, amount: "600.00", currency: "KES", ...more };
  return okBody(await api.post<Withdrawal>("/api/v1/payouts/withdrawals", body, headers));
}

export async function readWithdrawal(api: Api, id: string): Promise<Withdrawal> {
  return okBody(await api.get<Withdrawal>(`/api/v1/payouts/withdrawals/${id}`));
}
