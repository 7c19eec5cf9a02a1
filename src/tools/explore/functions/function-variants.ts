import type { ObservedCharge } from "../run-record.js";
import { emailVariant, inUpperCase } from "../sandbox/awkward-values.js";
import type { Baseline } from "../sandbox/facts.js";
import type { FlowVariant } from "../sandbox/flow-variant.js";
import { AGAIN, canFail, secondTriesOf } from "../sandbox/second-try.js";
import { RUN_ID } from "../sandbox/views.js";
import { customerOf, type ExploreCustomer } from "./flow.js";

/** A variant of a flow that is a function: of its customer, whose first payment may fail. */
export interface FunctionVariant extends FlowVariant {
  readonly customerOf: (customer: ExploreCustomer) => ExploreCustomer;
}

/** @param pages number of times that the flow pays on a page */
export function functionVariants(
  { customerMatch }: Baseline,
  charges: readonly ObservedCharge[],
  pages: number,
): FunctionVariant[] {
  const { email: address } = customerOf(RUN_ID);
  const email = emailVariant(address, customerMatch.customer_email);
  const again = ({ id, ...one }: ExploreCustomer) => ({ ...one, id: `${id}${AGAIN}` });
  return [
    { ...email, customerOf: (one) => ({ ...one, email: inUpperCase(address).replaceAll(RUN_ID, one.id) }) },
    ...(canFail(charges) ? secondTriesOf(pages > 0) : []).map((one) => ({ ...one, customerOf: again })),
  ];
}
