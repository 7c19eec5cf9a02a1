import type { ChargeRule } from "../../../core/schema/scenario-rules.js";
import type { LoadedScenario } from "../../scenario/files.js";
import type { UncomparedField } from "../exploration.js";
import type { ObservedCharge, ObservedRun } from "../run-record.js";
import type { Freedom } from "./views.js";

/** The id of a run, and what its steps have saved. */
export type RunVariables = Pick<LoadedScenario, "runId" | "scope">;

export interface LoadedRun {
  readonly observed: ObservedRun;
  readonly loaded: RunVariables;
}

export interface Payment extends Readonly<ObservedCharge["base"]> {
  readonly method?: string;
  readonly to_currency?: string;
}

/** Facts of the plain runs by which a run with strangers is made and judged. */
export interface ListBaseline {
  readonly payment: Payment;
  /** Number of completed charges of all customers of a run. */
  readonly completed: number;
  /** For each press of the customer, the number of reads of the list before it and after it. */
  readonly reads: readonly (readonly [from: number, to: number])[];
}

/** Selects the payments of an order, and has the number of completed ones in a plain run. */
export interface OrderPayments {
  readonly match: Readonly<Record<string, unknown>>;
  readonly completed: number;
}

/** Totals of the completed payments of a run, by currency: `600.00 KES, 20.00 USD`. */
export interface Sums {
  readonly paid: string;
  readonly paidOut: string;
}

/** The end of two plain runs. */
export interface PlainEnd {
  /** Number of completed charges that `chargeMatch` selects. */
  readonly completedCharges: number;
  /** Number of completed withdrawals; absent if the app makes none. */
  readonly completedWithdrawals?: number;
  readonly sums: Sums;
  /** Body of each view of the app, without the run's id. */
  readonly bodies: readonly unknown[];
  /** Status of the response with each body. */
  readonly statuses: readonly unknown[];
  /** A payment of each view's orders was completed. */
  readonly isPaid: readonly boolean[];
}

export interface FreeField extends UncomparedField {
  readonly view: number;
  readonly freedom: Freedom;
}

type CallMatch = Readonly<Record<string, unknown>>;

/** Selects the app's calls at which a press can be held. */
interface PressMatches {
  /** The first call; absent if `last` matches it too. */
  readonly first?: CallMatch;
  /** The last write, else the last call. */
  readonly last: CallMatch;
}

export interface PageOfFlow {
  /** Selects its charge, and others only if it has nothing of its own. */
  readonly match: NonNullable<ChargeRule["match"]>;
  /** The charge is selected by `customerMatch` too. */
  readonly isOwn: boolean;
  /** Path of the app to which the paid page leads; undefined if it has an id that the flow does not know. */
  readonly returnPath: string | undefined;
}

/** Facts about the flow and the app, learned from two plain runs. */
export interface Baseline {
  /** Selects the run's customer: `qa+${run.id}@shop.test`. Empty if the email does not contain the run id. */
  readonly customerMatch: { readonly customer_email?: string };
  /** Selects the calls and webhooks of all customers of the run; `customerMatch` selects the first customer. */
  readonly ownMatch: Baseline["customerMatch"];
  /** Selects the run's charges by customer, or by the metadata in `orderCharges` if `customerMatch` is empty. */
  readonly chargeMatch: Readonly<Record<string, unknown>>;
  readonly plain: PlainEnd;
  /** Sandbox time from the first charge to its expiry, in milliseconds; 0 without a charge. */
  readonly payableMs: number;
  readonly free: readonly FreeField[];
  /** Selects the charges of an order by metadata that holds a variable of the flow, such as the order's id. */
  readonly orderCharges?: OrderPayments | undefined;
  /** Selects the withdrawals of an order by such metadata or by their reference. */
  readonly orderWithdrawals?: OrderPayments | undefined;
  /** Types of events that the app refuses in a plain run. */
  readonly refusedTypes: readonly string[];
  /** Select calls of the app during each press of the customer; undefined if the app makes no call then. */
  readonly pressMatches: readonly (PressMatches | undefined)[];
  /** Selects the app's reads of the customer's charges. */
  readonly readMatch: Readonly<Record<string, unknown>>;
  /** Present if a charge is paid. */
  readonly list?: ListBaseline | undefined;
  readonly pages: readonly PageOfFlow[];
}
