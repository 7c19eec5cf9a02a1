import { transitionWithdrawalById } from "../../engine/commands/withdrawals.js";
import { withdrawalView } from "../../engine/views.js";
import { withdrawalTransitionRequestSchema } from "../../schema/control.js";
import { invalid, isRefusal, type Refusal } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { ok, type Reply } from "../reply.js";
import type { ControlCall } from "./operations.js";

export function transitionWithdrawal({ namespace, body, param }: ControlCall): Reply | Refusal {
  const checked = check(withdrawalTransitionRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const { to, reason } = checked.data;
  const moved = namespace.execute(transitionWithdrawalById(param("withdrawal_id"), to, reason));
  return isRefusal(moved) ? moved : ok(withdrawalView(moved));
}
