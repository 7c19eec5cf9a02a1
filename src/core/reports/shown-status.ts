// Status of a payment as people read it. The service has no status for a late payment, a partial refund, a
// chargeback or a bounce.
import { REVERSALS, type ReversalKind } from "../schema/event-types.js";
import { CHARGE_STATUS_TABLE } from "../schema/statuses.js";
import { groupDigits } from "../schema/text-format.js";

type Tone = "good" | "bad" | "warn" | "";

/** Tones of statuses, and of the states of deliveries and receivers. */
export const STATUS_TONES: Readonly<Record<string, Tone>> = {
  ...Object.fromEntries(Object.entries(CHARGE_STATUS_TABLE).map(([status, { tone = "" }]) => [status, tone])),
  [REVERSALS.chargeback.status]: "bad",
  [REVERSALS.bounce.status]: "bad",
  delivered: "good",
  held: "warn",
  failing: "bad",
  "given up": "bad",
  dropped: "bad",
  ok: "good",
};

export interface ShownStatus {
  readonly word: string;
  readonly reason?: string | undefined;
  /** The status before a late payment, or the service's own status after a reversal. */
  readonly was?: string;
  /** Returned by the reversal: `USD 1.00`. */
  readonly amount?: string;
  /** Partial refunds before this one, the newest first. */
  readonly earlier?: readonly ShownStatus[];
  readonly at: string;
}

/** Fields of a charge or withdrawal, in its record and in the control API's JSON. */
export interface Payment {
  readonly charge_id?: string;
  readonly withdrawal_id?: string;
  readonly status: string;
  readonly failure_reason?: string | null;
  readonly updated_at: string;
  readonly status_history?: readonly { readonly status: string }[];
  /** Newest first. */
  readonly reversals?: readonly ShownReversal[];
}

export interface ShownReversal {
  readonly kind: ReversalKind;
  readonly amount: string;
  readonly currency: string;
  readonly reason: string | null;
  readonly at: string;
}

function reversalStatus({ kind, amount, currency, reason, at }: ShownReversal): ShownStatus {
  return {
    word: REVERSALS[kind].status,
    reason: reason ?? undefined,
    was: "COMPLETED",
    amount: `${currency} ${groupDigits(amount)}`,
    at,
  };
}

/** A payment's status as people read it: the newest reversal in place of COMPLETED, else the status, with its reason. */
export function shownStatus({
  status,
  failure_reason,
  updated_at: at,
  status_history = [],
  reversals = [],
}: Payment): ShownStatus {
  const [newest, ...earlier] = reversals.map(reversalStatus);
  if (status === "COMPLETED" && newest !== undefined)
    return isPartial(newest) ? { ...newest, earlier } : newest;
  const hasExpired = status_history.some((change) => change.status === "EXPIRED");
  if (hasExpired && (status === "PROCESSING" || status === "COMPLETED"))
    return { word: status, reason: "paid late", was: "EXPIRED", at };
  return { word: status, reason: failure_reason ?? undefined, at };
}

/** Text after the status: `paid late (was EXPIRED)`, `USD 1.00: broken cup (was COMPLETED)`; may be empty. */
export function statusDetails(shown: ShownStatus): string {
  const { was, earlier = [] } = shown;
  const why = [shown, ...earlier].map((one) =>
    [isPartial(one) && one.amount, one.reason].filter(Boolean).join(": "),
  );
  return [why.reverse().join("; "), was && `(was ${was})`].filter(Boolean).join(" ");
}

function isPartial({ word }: ShownStatus): boolean {
  return word === REVERSALS.partial_refund.status;
}

/** `COMPLETED, paid late (was EXPIRED)`. */
export function statusText(shown: ShownStatus): string {
  const details = statusDetails(shown);
  return [shown.word, details].filter(Boolean).join(details.startsWith("(") ? " " : ", ");
}
