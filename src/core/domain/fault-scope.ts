import type { FaultRule } from "../schema/scenario-rules.js";
import type { MatchSubject } from "./rule-matching.js";

/** Fields that identify a customer, or the recipient of a payout; the first one present is used. */
const CUSTOMER = ["customer_email", "phone_number", "bank_account_number", "customer_name", "destination_id"];
/** Fields that stay the same when an order is retried before its charge or withdrawal exists. */
const ORDER = [...CUSTOMER, "base_currency", "base_amount", "currency", "amount", "reference"];

/**
 * Key of the calls that a fault's `times` and `skip` count together: those of one customer, of one charge or withdrawal
 * (of one order before it exists), or all. Calls without a customer count together.
 */
export function faultScopeKey(per: FaultRule["per"], { fields, metadata }: MatchSubject): string {
  switch (per) {
    case "request":
      return "";
    case "charge": {
      const id = fields.charge_id ?? fields.withdrawal_id;
      if (id !== undefined && id !== null) return id;
      const values = ORDER.map((name) => fields[name] ?? null);
      const pairs = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
      return JSON.stringify([...values, ...pairs]).toLowerCase();
    }
    default:
      return (
        CUSTOMER.map((name) => fields[name] ?? "")
          .find((text) => text !== "")
          ?.toLowerCase() ?? ""
      );
  }
}
