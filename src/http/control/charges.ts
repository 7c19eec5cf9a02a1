import type { Charge } from "../../domain/charge.js";
import { transitionCharge as transitionCommand } from "../../engine/commands/charges.js";
import { chargeDetailJson } from "../../engine/views.js";
import type { Namespace } from "../../namespace/namespace.js";
import type { ChargeStatus } from "../../schema/common.js";
import {
  chargeAdvanceRequestSchema,
  chargeQuerySchema,
  refundRequestSchema,
  transitionRequestSchema,
} from "../../schema/control.js";
import { invalid, isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { pageOf, readControlQuery } from "../query.js";
import { okJson, type Reply } from "../reply.js";
import type { ControlCall } from "./operations.js";

/** Begins the name of a parameter that asks for a value of the metadata. */
const METADATA = "metadata.";

/** Both modes' charges unless told otherwise, newest first, by e-mail, status and metadata. */
export function listCharges({ namespace, url }: ControlCall): Reply | Refusal {
  const read = readControlQuery(chargeQuerySchema, url, (name) => name.startsWith(METADATA));
  if (isRefusal(read)) return read;
  namespace.settle();
  const { mode, customer_email, status } = read.query;
  const { limit, offset } = pageOf(read.query);
  const metadata = metadataFilter(url);
  const wanted = (charge: Charge): boolean =>
    (mode === undefined || charge.mode === mode) &&
    (customer_email === undefined || charge.customer_email === customer_email) &&
    (status === undefined || charge.status === status) &&
    metadata.every(([key, value]) => charge.metadata[key] === value);
  const { state } = namespace.engine;
  const found = state.page("charges", "charges", 0, state.count("charges")).filter(wanted);
  const items = found.slice(offset, offset + limit).map(controlChargeJson);
  return okJson(`{"total":${found.length},"items":[${items.join(",")}]}`);
}

function metadataFilter(url: string): [string, string][] {
  const mark = url.indexOf("?");
  if (mark === -1) return [];
  return [...new URLSearchParams(url.slice(mark + 1))]
    .filter(([name]) => name.startsWith(METADATA))
    .map(([name, value]) => [name.slice(METADATA.length), value]);
}

/** The charge as the service shows it, and what only the sandbox knows of it. */
export function controlChargeJson(charge: Charge): string {
  const { mode, kind, scenario, scenario_asked, timeline, notes } = charge;
  const extra = JSON.stringify({ mode, kind, sandbox: { scenario, scenario_asked, timeline, notes } });
  return `${chargeDetailJson(charge).slice(0, -1)},${extra.slice(1)}`;
}

export function getCharge({ namespace, param }: ControlCall): Reply | Refusal {
  namespace.settle();
  const charge = namespace.engine.state.get("charges", param("charge_id"));
  return charge === undefined ? refuse("NOT_FOUND", "Charge not found") : okJson(controlChargeJson(charge));
}

export function transitionCharge({ namespace, body, param }: ControlCall): Reply | Refusal {
  const checked = check(transitionRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  return move(namespace, param("charge_id"), checked.data.to, checked.data.reason);
}

export function refundCharge({ namespace, body, param }: ControlCall): Reply | Refusal {
  const checked = check(refundRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  return move(namespace, param("charge_id"), "REFUNDED", checked.data.reason);
}

function move(
  namespace: Namespace,
  chargeId: string,
  to: ChargeStatus,
  reason: string | undefined,
): Reply | Refusal {
  const moved = namespace.execute(transitionCommand(chargeId, to, "control", reason));
  return isRefusal(moved) ? moved : okJson(chargeDetailJson(moved));
}

/** Moves this charge along its own timeline, and no other; the clock stays. */
export function advanceCharge({ namespace, body, param }: ControlCall): Reply | Refusal {
  const checked = check(chargeAdvanceRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const moved = namespace.advanceCharge(param("charge_id"), checked.data.until);
  return isRefusal(moved) ? moved : okJson(chargeDetailJson(moved));
}
