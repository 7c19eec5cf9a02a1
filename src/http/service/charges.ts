import type { Caller } from "../../engine/caller.js";
import { findOwned, organizationView, listPayins as pageOfPayins } from "../../engine/queries.js";
import { chargeDetailJson, payinSummaryJson } from "../../engine/views.js";
import { isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import { payinQuerySchema } from "../../schema/requests.js";
import type { Call } from "../operations.js";
import { pageOf, readQuery } from "../query.js";
import { ok, okJson, type Reply } from "../reply.js";

export function listPayins({ namespace, caller, url }: Call<Caller>): Reply | Refusal {
  const read = readQuery(payinQuerySchema, url);
  if (isRefusal(read)) return read;
  namespace.settle();
  const page = pageOfPayins(namespace.engine.state, caller, {
    ...pageOf(read.query),
    status: read.query.status_filter,
  });
  let items = "";
  for (const charge of page.items)
    items += items === "" ? payinSummaryJson(charge) : `,${payinSummaryJson(charge)}`;
  return okJson(`{"total":${page.total},"items":[${items}]}`);
}

export function getCharge({ namespace, caller, param }: Call<Caller>): Reply | Refusal {
  namespace.settle();
  const charge = findOwned(namespace.engine.state, "charges", caller, param("charge_id"));
  return charge === undefined ? refuse("NOT_FOUND", "Charge not found") : okJson(chargeDetailJson(charge));
}

export function getOrganization({ namespace, caller }: Call<Caller>): Reply {
  return ok(organizationView(caller.organization, namespace.engine.world.start_ms));
}
