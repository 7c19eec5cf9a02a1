import { type ClientAction, type ClientCommand, runs } from "./client-command.js";
import { listAction, listCommand, withFailingWebhooks } from "./lists.js";
import { recordFormatter } from "./output.js";

const WITHDRAWAL = ["withdrawal_id", "status", "amount", "fee", "currency", "created_at"];

function movesTo(to: string): ClientAction {
  return runs("transitionWithdrawal", {
    input: async ({ connection, words }) => {
      const { withdrawal_id } = await connection.resolveRecord("withdrawal", words.selector!);
      return { withdrawal_id, to };
    },
    formatResult: recordFormatter(...WITHDRAWAL),
  });
}

export const MONEY_COMMANDS: readonly ClientCommand[] = [
  {
    usage: "balances",
    summary: "every organization's balances, one line per currency",
    example: "payments-sandbox balances",
    defaultAction: listAction("listBalances", { limit: 100 }),
  },
  {
    usage: "fund <currency> <amount>",
    summary: "put money into a balance, to be paid out or refunded",
    example: "payments-sandbox fund KES 5000.00",
    options: [["--mode <mode>", "test (default) or live"]],
    defaultAction: runs("fundBalance", {
      formatResult: recordFormatter(
        "organization_id",
        "mode",
        "currency",
        "available_balance",
        "pending_balance",
      ),
    }),
  },
  listCommand("listControlWithdrawals", "the withdrawals, newest first", "withdrawals --status FAILED", {
    formatResult: withFailingWebhooks("withdrawals"),
  }),
  {
    usage: "withdrawal <selector> [verb]",
    summary: "one withdrawal (an id, last); process | complete | fail | cancel it",
    example: "payments-sandbox withdrawal last fail --reason account_closed",
    options: [["--reason <text>", "why"]],
    defaultAction: {
      call: async ({ connection, words }) => connection.resolveRecord("withdrawal", words.selector!),
      formatResult: recordFormatter(...WITHDRAWAL, "failure_reason", "destination_id", "reference"),
    },
    verbs: {
      process: movesTo("PROCESSING"),
      complete: movesTo("COMPLETED"),
      fail: movesTo("FAILED"),
      cancel: movesTo("CANCELLED"),
    },
  },
];
