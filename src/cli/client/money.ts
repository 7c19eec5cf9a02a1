import type { ClientAction, ClientCommand } from "./client-command.js";
import { listAction, listCommand, withFailingWebhooks } from "./lists.js";
import { recordFormatter } from "./output.js";

const WITHDRAWAL = ["withdrawal_id", "status", "amount", "fee", "currency", "created_at"];

function movesTo(to: string): ClientAction {
  return {
    call: async ({ connection, flags: { reason }, positionalArguments: [selector] }) => {
      const { withdrawal_id } = await connection.resolveRecord("withdrawal", selector!);
      return connection.post(`/withdrawals/${withdrawal_id}/transition`, { to, reason });
    },
    formatResult: recordFormatter(...WITHDRAWAL),
  };
}

export const MONEY_COMMANDS: readonly ClientCommand[] = [
  {
    usage: "balances",
    summary: "every organization's balances, one line per currency",
    example: "payments-sandbox balances",
    defaultAction: listAction("balances", { limit: 100 }),
  },
  {
    usage: "fund <currency> <amount>",
    summary: "put money into a balance, to be paid out or refunded",
    example: "payments-sandbox fund KES 5000.00",
    options: [["--mode <mode>", "test (default) or live"]],
    defaultAction: {
      call: async ({ connection, flags: { mode }, positionalArguments: [currency, amount] }) =>
        connection.post("/balances", { currency, amount, mode }),
      formatResult: recordFormatter(
        "organization_id",
        "mode",
        "currency",
        "available_balance",
        "pending_balance",
      ),
    },
  },
  listCommand("withdrawals", "the withdrawals, newest first", "withdrawals --status FAILED", {
    formatResult: withFailingWebhooks("withdrawals"),
  }),
  {
    usage: "withdrawal <selector> [verb]",
    summary: "one withdrawal (an id, last); process | complete | fail | cancel it",
    example: "payments-sandbox withdrawal last fail --reason account_closed",
    options: [["--reason <text>", "why"]],
    defaultAction: {
      call: async ({ connection, positionalArguments: [selector] }) =>
        connection.resolveRecord("withdrawal", selector!),
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
