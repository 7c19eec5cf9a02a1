import type { Traits } from "./traits.js";

/** An order's payment: a charge of the service. */
export interface Attempt {
  readonly charge_id: string;
  /** What the customer must pay, fees included; undefined on a hosted page, where the method decides. */
  readonly amount: string | undefined;
  status: string;
  /** Length of the charge's history when the shop last heard of it. */
  known: number;
  /** Its money stands in the customer's credit. */
  isCredited?: boolean;
}

/** Money that came too late and goes back to the customer. */
export interface Return {
  readonly charge_id: string;
  readonly amount: string;
  destination_id?: string;
  withdrawal_id?: string;
  /** A withdrawal was asked for, and may exist. */
  isAsked?: boolean;
  status: "open" | "done" | "failed";
}

/** A row of the shop's orders. Amounts are in minor units. */
export interface Order {
  readonly id: string;
  readonly number: number;
  /** The customer's own name for the order, by which a second press is known. */
  readonly cart: string;
  readonly email: string;
  readonly priceMinor: number;
  readonly currency: string;
  readonly createdMs: number;
  status: string;
  readonly attempts: Attempt[];
  readonly returns: Return[];
  /** When the attempt to pay began that has no charge yet, and the amount of its quote. */
  since?: string | undefined;
  quoted?: string;
  checkout_id?: string;
  paidBy?: string;
  paidMs?: number;
  delivered: number;
  creditMinor: number;
  readonly refunds: { readonly id: string; readonly minor: number }[];
  readonly history: { readonly status: string; readonly atMs: number }[];
  version: number;
  /** Time of the service at the last change. */
  changedMs: number;
}

/** Parses an amount of the service in minor units: `1105.10` is 110510. */
export function minorOf(amount: string): number {
  const [whole = "0", cents = ""] = amount.split(".");
  return Number(whole + cents.padEnd(2, "0").slice(0, 2));
}

export function amountOf(minor: number): string {
  return `${Math.trunc(minor / 100)}.${String(minor % 100).padStart(2, "0")}`;
}

export function priceOf({ price }: Traits): { readonly amount: string; readonly currency: string } {
  const [amount, currency] = price.split(" ") as [string, string];
  return { amount, currency };
}

/** The words of a shop for an order that waits and for one that is paid. */
export function waitingAndPaidWords({ words }: Traits): [waiting: string, paid: string] {
  return words.split(", ") as [string, string];
}
