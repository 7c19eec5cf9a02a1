import { didYouMean } from "../../core/schema/nearest.js";
import { CHARGE_STATUS_TABLE } from "../../core/schema/statuses.js";
import { UserError } from "../../core/schema/user-error.js";
import {
  type ClientAction,
  type ClientCommand,
  type CommandInput,
  flagText,
  parseAssignments,
  runs,
} from "./client-command.js";
import type { Connection, JsonBody } from "./connection.js";
import {
  formatPayments,
  listAction,
  listCommand,
  paymentFormatter,
  readDeliveries,
  readTried,
  recordFormatter,
} from "./output.js";
import { HISTORY_ACTION } from "./reports.js";

const CHARGE = ["charge_id", "status", "why", "amount", "payment_method", "customer_email", "created_at"];
const WITHDRAWAL = ["withdrawal_id", "status", "why", "amount", "fee", "created_at"];

export const formatCharge = paymentFormatter(...CHARGE);

/** Formats a payment after its webhooks had time for their first attempts; reads it again after a change. */
function formatRecord(...names: readonly string[]): NonNullable<ClientAction["formatResult"]> {
  return async (payment, asked) => {
    const shown = payment.why === undefined ? await readChanged(asked.connection, payment) : payment;
    return paymentFormatter(...names)(shown, asked);
  };
}

async function readChanged(connection: Connection, changed: JsonBody): Promise<JsonBody> {
  const { charge_id, withdrawal_id, object_id = charge_id ?? withdrawal_id } = changed;
  const isCharge = String(object_id).startsWith("ch_");
  const ids = isCharge ? { charge_id: object_id } : { withdrawal_id: object_id };
  await readTried(connection, () => readDeliveries(connection, ids, { limit: WEBHOOKS_MAX }));
  return connection.run(isCharge ? "getCharge" : "getControlWithdrawal", ids);
}

/** Webhooks of a payment whose first attempts a command waits for, the newest. */
const WEBHOOKS_MAX = 10;

async function resolveChargeId({ connection, words }: CommandInput) {
  const { charge_id } = await connection.resolveCharge(words.selector!);
  return { charge_id };
}

function moveCharge(to: string): ClientAction {
  return runs("transitionCharge", {
    takes: ["reason"],
    input: async (asked) => ({ ...(await resolveChargeId(asked)), to }),
    formatResult: formatRecord(...CHARGE),
  });
}

/** Part of a charge with `--amount`, else all of it. */
const REFUND = runs("refundCharge", {
  takes: ["amount", "reason"],
  input: resolveChargeId,
  formatResult: formatRecord(...CHARGE),
});

const CHARGEBACK = runs("chargeBack", {
  takes: ["reason"],
  input: resolveChargeId,
  formatResult: formatRecord(...CHARGE),
});

async function resolveCheckout({ connection, words: { selector } }: CommandInput) {
  if (selector!.startsWith("co_")) return { checkout_id: selector };
  const { checkout_id } = await connection.resolveCharge(selector!);
  return { checkout_id };
}

async function refuseNoMethod(connection: Connection): Promise<never> {
  const { payment_methods } = await connection.call<{ payment_methods: { id: string }[] }>(
    "GET /api/v1/payments/payment-methods",
  );
  const ids = payment_methods.map(({ id }) => id).join(", ");
  throw new UserError(`--method is required: one of ${ids}; mobile money needs --phone too`);
}

const STATUS_ACTIONS = Object.fromEntries(
  Object.entries(CHARGE_STATUS_TABLE).flatMap(([status, { verb }]) =>
    verb === undefined || status === "PROCESSING" ? [] : [[verb, moveCharge(status)]],
  ),
);

export const CHARGE_COMMANDS: readonly ClientCommand[] = [
  listCommand(
    "listCharges",
    "the charges, newest first",
    "charges --status PENDING --email ada@example.com",
    {
      formatResult: formatPayments("charges"),
    },
  ),
  {
    usage: "charge <selector> [verb]",
    summary: `one charge (an id, last, an e-mail, an order); with a verb ${Object.keys(STATUS_ACTIONS).join(" | ")} | chargeback | story (its history); \`charge create\` makes one`,
    example: "payments-sandbox charge last fail --reason insufficient_funds",
    options: [
      ["--reason <text>", "why"],
      [
        "--amount <decimals>",
        "the price without fees (default 25.00), or the part to refund",
        "create or refund",
      ],
      ["--currency <code>", "its currency (default: the first the method takes)", "create"],
      ["--method <id>", "the payment method (default: the first that is enabled)", "create"],
      ["--email <address>", "the customer (default ada@shop.test)", "create"],
      ["--scenario <name>", "the scenario that decides its outcome", "create"],
      ["--set <path=value...>", "further fields of its request, such as metadata.order=17", "create"],
      ["--hosted", "a hosted checkout, paid on a page", "create"],
    ],
    defaultAction: {
      call: async (asked) => {
        const { selector } = asked.words;
        return selector === "create" ? createCharge(asked) : asked.connection.resolveCharge(selector!);
      },
      formatResult: formatRecord(
        ...CHARGE,
        "fees",
        "settlement_amount",
        "provider_reference",
        "expires_at",
        "checkout_url",
      ),
    },
    verbs: {
      ...STATUS_ACTIONS,
      refund: REFUND,
      chargeback: CHARGEBACK,
      story: HISTORY_ACTION,
    },
    checkWords: ([selector, word = ""]) => {
      if (selector !== "create") return;
      const amount = /^\d+(\.\d+)?$/.test(word) ? word : "25.00";
      throw new UserError(
        `charge create takes options, no word ${JSON.stringify(word)}; the price is --amount ${amount}`,
      );
    },
  },
  {
    usage: "checkout <selector> <verb>",
    summary: "do what the customer does on the hosted page: pay | cancel",
    example: "payments-sandbox checkout last pay --method card",
    options: [
      ["--method <id>", "the payment method", "pay"],
      ["--currency <code>", "the currency", "pay"],
      ["--phone <number>", "for mobile money", "pay"],
    ],
    verbs: {
      pay: runs("payCheckout", {
        takes: ["currency"],
        input: async (asked) => ({
          payment_method: flagText(asked.flags.method) ?? (await refuseNoMethod(asked.connection)),
          phone_number: asked.flags.phone,
          ...(await resolveCheckout(asked)),
        }),
        formatResult: formatRecord(...CHARGE),
      }),
      cancel: runs("cancelCheckout", { input: resolveCheckout, formatResult: formatRecord(...CHARGE) }),
    },
  },
];

interface Method {
  readonly id: string;
  readonly currencies: readonly string[];
}

/** Customer fields that satisfy every payment method. */
const CUSTOMER = { phone_number: "+254700000001", bank_account_number: "0123456789" };

/** `charge create`: makes a charge with the same calls as an app. With `--hosted`, uses a hosted checkout. */
async function createCharge({ connection, flags }: CommandInput): Promise<JsonBody> {
  const { amount = "25.00", email = "ada@shop.test", scenario, hosted } = flags;
  const headers: Record<string, string> =
    scenario === undefined ? {} : { "sandbox-scenario": String(scenario) };
  const service = await connection.createServiceCaller(headers);
  const { payment_methods } = await service<{ payment_methods: Method[] }>("GET", "/payment-methods");
  const method = payment_methods.find(({ id }) => flags.method === undefined || id === flags.method);
  if (method === undefined) {
    const ids = payment_methods.map(({ id }) => id);
    throw new UserError(`--method must be one of ${ids.join(", ")}${didYouMean(String(flags.method), ids)}`);
  }
  const currency = flags.currency ?? method.currencies[0];
  const body = {
    pricing: { base_currency: currency, amount },
    customer_email: email,
    ...parseAssignments(flags.set),
  };
  if (hosted === true) {
    const { charge_id, checkout_url } = await service<JsonBody>("POST", "/checkouts", body);
    return { ...(await connection.resolveCharge(String(charge_id))), checkout_url };
  }
  const { pricing } = body;
  const quote = await service<JsonBody>("POST", "/quotes", { pricing, payment_method: method.id });
  const made = await service<JsonBody>("POST", "/whitelabel", {
    ...CUSTOMER,
    ...body,
    payment_method: method.id,
    quote_id: quote.quote_id,
  });
  return connection.resolveCharge(String(made.charge_id));
}

async function resolveWithdrawalId({ connection, words }: CommandInput) {
  const { withdrawal_id } = await connection.resolveRecord("withdrawal", words.selector!);
  return { withdrawal_id };
}

function moveWithdrawal(to: string): ClientAction {
  return runs("transitionWithdrawal", {
    takes: ["reason"],
    input: async (asked) => ({ ...(await resolveWithdrawalId(asked)), to }),
    formatResult: formatRecord(...WITHDRAWAL),
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
      takes: ["currency", "amount", "mode"],
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
    formatResult: formatPayments("withdrawals"),
  }),
  {
    usage: "withdrawal <selector> [verb]",
    summary: "one withdrawal (an id, last); process | complete | fail | cancel | bounce it",
    example: "payments-sandbox withdrawal last fail --reason account_closed",
    options: [["--reason <text>", "why"]],
    defaultAction: {
      call: async ({ connection, words }) => connection.resolveRecord("withdrawal", words.selector!),
      formatResult: formatRecord(...WITHDRAWAL, "destination_id", "reference"),
    },
    verbs: {
      process: moveWithdrawal("PROCESSING"),
      complete: moveWithdrawal("COMPLETED"),
      fail: moveWithdrawal("FAILED"),
      cancel: moveWithdrawal("CANCELLED"),
      bounce: runs("bounceWithdrawal", {
        takes: ["reason"],
        input: resolveWithdrawalId,
        formatResult: formatRecord(...WITHDRAWAL),
      }),
    },
  },
];
