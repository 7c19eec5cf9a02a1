import type { FaultRule } from "../schema/scenario.js";
import type { Subject } from "./scenario.js";

/** Who is told apart from others by it, the plainest first. A payout's customer is whoever gets it. */
const CUSTOMER = ["customer_email", "phone_number", "bank_account_number", "customer_name", "destination_id"];
/** What an order keeps when it is tried again, while there is no charge or withdrawal of it yet. */
const ORDER = [...CUSTOMER, "base_currency", "base_amount", "currency", "amount", "reference"];

/**
 * Among which calls a fault's `times` and `skip` count: of one customer, of one charge or withdrawal (before it is
 * made, of one order: the same customer, price and metadata), or all. Calls that name nobody count together.
 */
export function whoseCall(per: FaultRule["per"], { fields, metadata }: Subject): string {
  switch (per) {
    case "request":
      return "";
    case "charge": {
      const id = fields.charge_id ?? fields.withdrawal_id;
      if (id !== undefined && id !== null) return id;
      const said = ORDER.map((name) => fields[name] ?? null);
      const notes = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
      return JSON.stringify([...said, ...notes]).toLowerCase();
    }
    default:
      return (
        CUSTOMER.map((name) => fields[name] ?? "")
          .find((text) => text !== "")
          ?.toLowerCase() ?? ""
      );
  }
}
