import { readDestinationRequest } from "../../domain/requests/payouts.js";
import { isRefusal, type Refusal } from "../../schema/errors.js";
import type { Caller } from "../caller.js";
import type { Destination } from "../records.js";
import type { Command } from "../transaction.js";

export function createDestination(caller: Caller, raw: unknown): Command<Destination | Refusal> {
  return (tx) => {
    const fields = readDestinationRequest(tx.catalogue, caller.organization, raw);
    if (isRefusal(fields)) return fields;
    const destination: Destination = {
      destination_id: tx.id("destination"),
      seq: tx.next("destination_seq"),
      mode: caller.mode,
      organization_id: caller.organization.organization_id,
      created_at: tx.at,
      fields,
    };
    tx.put("destinations", destination.destination_id, destination);
    return destination;
  };
}
