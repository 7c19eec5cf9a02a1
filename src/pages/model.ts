import type { Catalogue } from "../core/domain/catalogue.js";
import type { Charge } from "../core/domain/charge.js";
import type { ChargeStatus } from "../core/schema/common.js";
import { STATUSES } from "../core/schema/statuses.js";
import type { Links } from "./links.js";
import type { Offer } from "./offer.js";

/** Everything a view shows: the charge, and the moment it is shown at. */
export interface Page {
  readonly charge: Charge;
  /** The name of the namespace it is in. */
  readonly namespace: string;
  /** Whether the customer has said that the payment is on its way. */
  readonly isWaiting: boolean;
  readonly catalogue: Catalogue;
  readonly merchant: string;
  readonly links: Links;
  /** Where the customer goes from here, if the shop said so. */
  readonly shop: string | undefined;
  readonly nowMs: number;
  readonly remainingMs: number;
  /** Sandbox milliseconds for one of wall time; 0 on a clock that stands still. */
  readonly speed: number;
  /** What could not be done, when this answers a form. */
  readonly problem: string | undefined;
  readonly fields: FieldState;
  /** What the quote the checkout was made with is for. */
  readonly quoted: { readonly method: string; readonly currency: string } | undefined;
  /** What the charge becomes next, if nobody interferes; undefined where nothing is planned. */
  readonly next: { readonly to: ChargeStatus; readonly dueMs: number } | undefined;
  /** What can be chosen from; empty once it has been. */
  readonly offers: readonly Offer[];
}

/** A form as it was sent, and what is wrong with it, by the name of the field. */
export interface FieldState {
  readonly sent: URLSearchParams | undefined;
  readonly faults: Readonly<Record<string, string>>;
}

export const UNTOUCHED: FieldState = { sent: undefined, faults: {} };

export function needsMethod(charge: Charge): boolean {
  return charge.status === "PENDING" && charge.payment_method === null;
}

export function canBecome(charge: Charge, status: ChargeStatus): boolean {
  return STATUSES[charge.status].next.includes(status);
}

/** What amounts are written with: a crypto currency by its asset, the network is named beside it. */
export function unit(catalogue: Catalogue, code: string): string {
  return catalogue.currency(code)?.asset ?? code;
}
