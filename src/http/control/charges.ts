import type { Charge } from "../../domain/charge.js";
import { transitionCharge } from "../../engine/commands/charges.js";
import { chargeDetailJson } from "../../engine/views.js";
import type { Namespace } from "../../namespace/namespace.js";
import type { ChargeStatus } from "../../schema/common.js";
import {
  chargeAdvanceRequestSchema,
  chargeQuerySchema,
  refundRequestSchema,
  transitionRequestSchema,
} from "../../schema/control.js";
import { refuse } from "../../schema/errors.js";
import { pageOf } from "../query.js";
import { controlOperation, MadeJson, shown } from "./operation.js";
import { storyOf } from "./story.js";

/** Begins the name of a parameter that asks for a value of the metadata. */
const METADATA = "metadata.";

export const CHARGES = [
  controlOperation(
    {
      id: "listCharges",
      method: "GET",
      path: "/_sandbox/charges",
      query: chargeQuerySchema,
      queryPrefix: METADATA,
      reads: true,
    },
    ({ namespace, query, url }) => {
      const { mode, customer_email, status } = query;
      const metadata = metadataAsked(url);
      const { state } = namespace.engine;
      const found = state
        .page("charges", "charges", 0, state.count("charges"))
        .filter(
          (charge) =>
            (mode === undefined || charge.mode === mode) &&
            (customer_email === undefined || charge.customer_email === customer_email) &&
            (status === undefined || charge.status === status) &&
            metadata.every(([key, value]) => charge.metadata[key] === value),
        );
      const { limit, offset } = pageOf(query);
      const items = found.slice(offset, offset + limit).map(controlChargeJson);
      return new MadeJson(`{"total":${found.length},"items":[${items.join(",")}]}`);
    },
  ),
  controlOperation(
    { id: "getCharge", method: "GET", path: "/_sandbox/charges/:charge_id", reads: true },
    ({ namespace, param }) =>
      shown(chargeOf(namespace, param("charge_id")), (charge) => new MadeJson(controlChargeJson(charge))),
  ),
  controlOperation(
    {
      id: "transitionCharge",
      method: "POST",
      path: "/_sandbox/charges/:charge_id/transition",
      body: transitionRequestSchema,
    },
    ({ namespace, body, param }) => move(namespace, param("charge_id"), body.to, body.reason),
  ),
  controlOperation(
    {
      id: "refundCharge",
      method: "POST",
      path: "/_sandbox/charges/:charge_id/refund",
      body: refundRequestSchema,
    },
    ({ namespace, body, param }) => move(namespace, param("charge_id"), "REFUNDED", body.reason),
  ),
  /** Moves this charge along its own timeline, and no other; the clock stays. */
  controlOperation(
    {
      id: "advanceCharge",
      method: "POST",
      path: "/_sandbox/charges/:charge_id/advance",
      body: chargeAdvanceRequestSchema,
    },
    ({ namespace, body, param }) => shown(namespace.advanceCharge(param("charge_id"), body.until), whole),
  ),
  controlOperation(
    { id: "getChargeTimeline", method: "GET", path: "/_sandbox/charges/:charge_id/timeline", reads: true },
    ({ namespace, param }) =>
      shown(chargeOf(namespace, param("charge_id")), (charge) => storyOf(namespace, charge)),
  ),
];

function chargeOf({ engine }: Namespace, id: string) {
  return engine.state.get("charges", id) ?? refuse("NOT_FOUND", "Charge not found");
}

function move(namespace: Namespace, id: string, to: ChargeStatus, reason: string | undefined): object {
  return shown(namespace.execute(transitionCharge(id, to, "control", reason)), whole);
}

/** The charge as the service shows it. */
export function whole(charge: Charge): MadeJson {
  return new MadeJson(chargeDetailJson(charge));
}

/** The same, and what only the sandbox knows of it. */
function controlChargeJson(charge: Charge): string {
  const { mode, kind, scenario, scenario_asked, timeline, notes } = charge;
  const extra = JSON.stringify({ mode, kind, sandbox: { scenario, scenario_asked, timeline, notes } });
  return `${chargeDetailJson(charge).slice(0, -1)},${extra.slice(1)}`;
}

function metadataAsked(url: string): [string, string][] {
  const mark = url.indexOf("?");
  if (mark === -1) return [];
  return [...new URLSearchParams(url.slice(mark + 1))]
    .filter(([name]) => name.startsWith(METADATA))
    .map(([name, value]) => [name.slice(METADATA.length), value]);
}
