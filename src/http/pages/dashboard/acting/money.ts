import { fundBalance } from "../../../../engine/commands/accounts.js";
import { setRates } from "../../../../engine/commands/rates.js";
import { transitionWithdrawalById } from "../../../../engine/commands/withdrawals.js";
import { rateSchema, withdrawalStatusSchema } from "../../../../schema/common.js";
import { fundRequestSchema } from "../../../../schema/engine-requests.js";
import { invalid } from "../../../../schema/errors.js";
import { check, issueDetails } from "../../../../schema/issues.js";
import { type Actions, say } from "./action.js";

/** What the buttons of money do. */
export const MONEY_ACTIONS: Actions = {
  withdrawal: ({ namespace, words: [id = "", to] }) => {
    const status = check(withdrawalStatusSchema, to);
    if (!status.ok) return invalid({ value: "must name a status" });
    return say(
      namespace.execute(transitionWithdrawalById(id, status.data, undefined)),
      () => `${id} is ${to}`,
    );
  },
  fund: ({ namespace, words: [mode = "test"], form }) => {
    const checked = check(fundRequestSchema, {
      currency: form.get("currency"),
      amount: form.get("amount"),
      mode,
    });
    if (!checked.ok) return invalid(issueDetails(checked.issues, fundRequestSchema));
    return say(
      namespace.execute(fundBalance({ mode: "test", ...checked.data })),
      ({ currency }) => `${currency} ${checked.data.amount} added`,
    );
  },
  rate: ({ namespace, form }) => {
    const rate = check(rateSchema, form.get("rate"));
    const code = form.get("currency") ?? "";
    if (!rate.ok) return invalid({ rate: "must be a decimal of more than 0" });
    return namespace.execute(setRates({ [code]: rate.data })) ?? { text: `1 USD is ${rate.data} ${code}` };
  },
};
