import { transitionCharge as transitionCommand } from "../../engine/commands/charges.js";
import { chargeDetailJson } from "../../engine/views.js";
import { transitionRequestSchema } from "../../schema/control.js";
import { invalid, isRefusal, type Refusal } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { okJson, type Reply } from "../reply.js";
import type { ControlCall } from "./operations.js";

export function transitionCharge({ world, body, param }: ControlCall): Reply | Refusal {
  const checked = check(transitionRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const { to, reason } = checked.data;
  const moved = world.execute(transitionCommand(param("charge_id"), to, "control", reason));
  return isRefusal(moved) ? moved : okJson(chargeDetailJson(moved));
}
