import type { Withdrawal } from "../../core/domain/withdrawal.js";
import { bounceWithdrawal } from "../../core/engine/commands/reversal-commands.js";
import { transitionWithdrawalById } from "../../core/engine/commands/withdrawal-commands.js";
import { withdrawalView } from "../../core/engine/wire-views.js";
import { withdrawalQuerySchema } from "../../core/schema/control-log-requests.js";
import { withdrawalTransitionRequestSchema } from "../../core/schema/control-requests.js";
import { reversalRequestSchema } from "../../core/schema/engine-requests.js";
import { refuse } from "../../core/schema/refusals.js";
import { limitAndOffset } from "../http/operation-spec.js";
import { EXTENSION_NOTE } from "./charges.js";
import { defineControlOperation, limitedPageReply, viewOrRefusal } from "./control-operation.js";

export const WITHDRAWAL_OPERATIONS = [
  defineControlOperation({
    id: "listControlWithdrawals",
    call: "GET /_sandbox/withdrawals",
    query: withdrawalQuerySchema,
    runsDueTasks: true,
    response: "ControlWithdrawalList",
    docs: { summary: "List withdrawals", description: "Withdrawals of every organization, newest first." },
    handle: ({ namespace: { engine }, query }) => {
      const { mode, status } = query;
      const { limit, offset } = limitAndOffset(query);
      const isListed = (withdrawal: Withdrawal) =>
        (mode === undefined || withdrawal.mode === mode) &&
        (status === undefined || withdrawal.status === status);
      const { total, items } = engine.state.pageOfKinds("withdrawals", isListed, offset, limit);
      return limitedPageReply({ total, items }, offset, (item) =>
        JSON.stringify(controlWithdrawalView(item)),
      );
    },
  }),
  defineControlOperation({
    id: "getControlWithdrawal",
    call: "GET /_sandbox/withdrawals/:withdrawal_id",
    runsDueTasks: true,
    response: "ControlWithdrawal",
    docs: { summary: "Get a withdrawal", description: "A withdrawal of any organization." },
    handle: ({ namespace: { engine }, param }) =>
      viewOrRefusal(
        engine.state.get("withdrawals", param("withdrawal_id")) ??
          refuse("NOT_FOUND", "Withdrawal not found"),
        controlWithdrawalView,
      ),
  }),
  defineControlOperation({
    id: "bounceWithdrawal",
    call: "POST /_sandbox/withdrawals/:withdrawal_id/bounce",
    body: reversalRequestSchema,
    response: "Reversal",
    docs: {
      summary: "Return a payout (extension)",
      description: `A completed payout is returned to the available balance; the fee is not. ${EXTENSION_NOTE}`,
      errorCodes: ["INVALID_TRANSITION"],
      example: { reason: "account_closed" },
    },
    handle: ({ namespace, body, param }) =>
      namespace.execute(bounceWithdrawal(param("withdrawal_id"), body.reason)),
  }),
  defineControlOperation({
    id: "transitionWithdrawal",
    call: "POST /_sandbox/withdrawals/:withdrawal_id/transition",
    body: withdrawalTransitionRequestSchema,
    response: "Withdrawal",
    docs: {
      summary: "Change a withdrawal's status",
      description: "Sets its status now. The rest of its scenario's timeline is cancelled.",
      errorCodes: ["INVALID_TRANSITION"],
      example: { to: "PROCESSING" },
    },
    handle: ({ namespace, body: { to, reason }, param }) =>
      viewOrRefusal(
        namespace.execute(transitionWithdrawalById(param("withdrawal_id"), to, reason)),
        withdrawalView,
      ),
  }),
];

function controlWithdrawalView(withdrawal: Withdrawal) {
  return { ...withdrawalView(withdrawal), mode: withdrawal.mode };
}
