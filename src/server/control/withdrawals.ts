import type { Withdrawal } from "../../core/domain/withdrawal.js";
import { bounceWithdrawal } from "../../core/engine/commands/reversal-commands.js";
import { transitionWithdrawalById } from "../../core/engine/commands/withdrawal-commands.js";
import { withdrawalView } from "../../core/engine/wire-views.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { withdrawalQuerySchema } from "../../core/schema/control-log-requests.js";
import { withdrawalTransitionRequestSchema } from "../../core/schema/control-requests.js";
import { reversalRequestSchema } from "../../core/schema/engine-requests.js";
import { refuse } from "../../core/schema/refusals.js";
import { viewOrRefusal } from "../http/reply.js";
import { collectHistory } from "./charge-history.js";
import { EXTENSION_NOTE } from "./charges.js";
import { defineControlOperation, kindsReply, pageReply } from "./control-operation.js";
import { paymentReport, planFilter } from "./payment-report.js";

export const WITHDRAWAL_OPERATIONS = [
  defineControlOperation({
    id: "listControlWithdrawals",
    call: "GET /_sandbox/withdrawals",
    summary: "List withdrawals",
    description: "Withdrawals of every organization, newest first.",
    input: withdrawalQuerySchema,
    runsDueTasks: true,
    output: "ControlWithdrawalList",
    run: ({ namespace, input }) => {
      const { state } = namespace.engine;
      const { mode, status } = input;
      const isListed = (withdrawal: Withdrawal) =>
        (mode === undefined || withdrawal.mode === mode) &&
        (status === undefined || withdrawal.status === status);
      const isPlanned = planFilter(state, input);
      const view = (withdrawal: Withdrawal) => controlWithdrawalView(namespace, withdrawal);
      return isPlanned === undefined
        ? kindsReply(state, "withdrawals", isListed, input, view)
        : pageReply(state.allOfKinds("withdrawals", isListed).filter(isPlanned), input, view);
    },
  }),
  defineControlOperation({
    id: "getControlWithdrawal",
    call: "GET /_sandbox/withdrawals/{withdrawal_id}",
    summary: "Get a withdrawal",
    description: "A withdrawal of any organization.",
    runsDueTasks: true,
    output: "ControlWithdrawal",
    run: ({ namespace, param }) =>
      viewOrRefusal(withdrawalOf(namespace, param("withdrawal_id")), (withdrawal) =>
        controlWithdrawalView(namespace, withdrawal),
      ),
  }),
  defineControlOperation({
    id: "getWithdrawalTimeline",
    call: "GET /_sandbox/withdrawals/{withdrawal_id}/timeline",
    summary: "Get a withdrawal's history",
    description: "Requests, transitions, ledger entries, events and attempts, as for a charge.",
    runsDueTasks: true,
    output: "WithdrawalStory",
    run: ({ namespace, param }) =>
      viewOrRefusal(withdrawalOf(namespace, param("withdrawal_id")), (withdrawal) => ({
        withdrawal_id: withdrawal.withdrawal_id,
        ...collectHistory(namespace, withdrawal),
      })),
  }),
  defineControlOperation({
    id: "bounceWithdrawal",
    call: "POST /_sandbox/withdrawals/{withdrawal_id}/bounce",
    summary: "Return a payout (extension)",
    description: `A completed payout is returned to the available balance; the fee is not. ${EXTENSION_NOTE}`,
    input: reversalRequestSchema,
    output: "Reversal",
    errors: ["INVALID_TRANSITION"],
    example: { reason: "account_closed" },
    run: ({ namespace, input, param }) =>
      namespace.execute(bounceWithdrawal(param("withdrawal_id"), input.reason)),
  }),
  defineControlOperation({
    id: "transitionWithdrawal",
    call: "POST /_sandbox/withdrawals/{withdrawal_id}/transition",
    summary: "Change a withdrawal's status",
    description: "Sets its status now. The rest of its scenario's timeline is cancelled.",
    input: withdrawalTransitionRequestSchema,
    output: "Withdrawal",
    errors: ["INVALID_TRANSITION"],
    example: { to: "PROCESSING" },
    run: ({ namespace, actor, input: { to, reason }, param }) =>
      viewOrRefusal(
        namespace.execute(transitionWithdrawalById(param("withdrawal_id"), to, actor, reason)),
        withdrawalView,
      ),
  }),
];

function withdrawalOf({ engine }: Namespace, id: string) {
  return engine.state.get("withdrawals", id) ?? refuse("NOT_FOUND", "Withdrawal not found");
}

export function controlWithdrawalView(namespace: Namespace, withdrawal: Withdrawal) {
  const { mode, scenario, scenario_asked, timeline, notes } = withdrawal;
  return {
    ...withdrawalView(withdrawal),
    mode,
    sandbox: { scenario, scenario_asked, timeline, notes },
    ...paymentReport(namespace, withdrawal),
  };
}
