import { transitionWithdrawalById } from "../../engine/commands/withdrawals.js";
import { withdrawalView } from "../../engine/views.js";
import { withdrawalTransitionRequestSchema } from "../../schema/control.js";
import { controlOperation, shown } from "./operation.js";

export const WITHDRAWALS = [
  controlOperation(
    {
      id: "transitionWithdrawal",
      method: "POST",
      path: "/_sandbox/withdrawals/:withdrawal_id/transition",
      body: withdrawalTransitionRequestSchema,
      answer: "Withdrawal",
      says: {
        summary: "Move a withdrawal",
        about: "Gives it a status now. What is left of its scenario's timeline is called off.",
        refuses: ["INVALID_TRANSITION"],
      },
    },
    ({ namespace, body: { to, reason }, param }) =>
      shown(namespace.execute(transitionWithdrawalById(param("withdrawal_id"), to, reason)), withdrawalView),
  ),
];
