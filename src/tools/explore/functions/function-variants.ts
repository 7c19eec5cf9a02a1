import type { ObservedCharge } from "../run-record.js";
import { emailVariant, inUpperCase } from "../sandbox/awkward-values.js";
import type { Baseline } from "../sandbox/facts.js";
import type { FlowVariant } from "../sandbox/flow-variant.js";
import { AGAIN, canFail, type Failing, secondTry } from "../sandbox/second-try.js";
import { RUN_ID } from "../sandbox/views.js";
import { customerOf, type ExploreCustomer } from "./flow.js";

/** A variant of a flow that is a function: of its customer, whose first payment may fail. */
export interface FunctionVariant extends FlowVariant {
  readonly customerOf: (customer: ExploreCustomer) => ExploreCustomer;
  /** The charge of a plain run, and how that of a first try ends; absent without a first try. */
  readonly first?: { readonly charge: ObservedCharge; readonly failing: Failing };
}

/** @param pages number of times that the flow pays on a page */
export function functionVariants(
  { customerMatch }: Baseline,
  charges: readonly ObservedCharge[],
  pages: number,
): FunctionVariant[] {
  const { email: address } = customerOf(RUN_ID);
  const email = emailVariant(address, customerMatch.customer_email);
  const [charge] = charges;
  const ends: readonly Failing[] = ["declined", "expired", ...(pages > 0 ? (["cancelled"] as const) : [])];
  return [
    { ...email, customerOf: (one) => ({ ...one, email: inUpperCase(address).replaceAll(RUN_ID, one.id) }) },
    ...(charge === undefined || !canFail(charges)
      ? []
      : ends.map((failing) => ({
          ...secondTry(failing),
          customerOf: (one: ExploreCustomer) => ({ ...one, id: `${one.id}${AGAIN}` }),
          first: { charge, failing },
        }))),
  ];
}
