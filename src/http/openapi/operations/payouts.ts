import * as example from "../examples.js";
import type { OperationDoc } from "../operation-doc.js";
import { ALL_ASSUMED, INVALID, PAGE } from "./common.js";

export const PAYOUTS_DOCS: Readonly<Record<string, OperationDoc>> = {
  createDestination: {
    tag: "Payouts",
    summary: "Create a payout destination",
    says: "Registers once where withdrawals may go.",
    assumed: ALL_ASSUMED,
    body: { component: "DestinationRequest", examples: example.DESTINATION_REQUESTS },
    answer: {
      component: "Destination",
      says: "It is registered.",
      examples: { "mobile money": example.DESTINATION },
    },
    invalid: {
      "a field is missing": {
        code: "VALIDATION_ERROR",
        message: INVALID,
        details: { bank_code: "is required for bank_account" },
      },
    },
  },
  listDestinations: {
    tag: "Payouts",
    summary: "List payout destinations",
    says: "The organization's destinations in the key's mode, newest first.",
    assumed: ALL_ASSUMED,
    query: PAGE,
    answer: {
      component: "DestinationList",
      says: "A page.",
      examples: { "one destination": example.DESTINATION_LIST },
    },
  },
  getDestination: {
    tag: "Payouts",
    summary: "Read a payout destination",
    says: "One destination.",
    assumed: ALL_ASSUMED,
    answer: {
      component: "Destination",
      says: "The destination.",
      examples: { "mobile money": example.DESTINATION },
    },
    missing: "There is no such destination in the organization and mode of the key",
  },
  createWithdrawal: {
    tag: "Payouts",
    summary: "Create a withdrawal",
    says:
      "Sends money from the available balance to a destination. Give it an Idempotency-Key: sent again with the same " +
      "key and body, it is answered as the first time and the money goes once.",
    assumed: `${ALL_ASSUMED} Amount and fee leave the available balance at once, and come back if the withdrawal fails or is cancelled.`,
    headers: ["Idempotency-Key", "Sandbox-Scenario"],
    body: { component: "WithdrawalRequest", examples: { "to mobile money": example.WITHDRAWAL_REQUEST } },
    answer: {
      component: "Withdrawal",
      says: "It is on its way.",
      examples: { pending: example.WITHDRAWAL },
      replayable: true,
    },
    invalid: {
      "too little money": {
        code: "INSUFFICIENT_BALANCE",
        message: "The available balance in KES is too low.",
      },
      "below the minimum": {
        code: "VALIDATION_ERROR",
        message: INVALID,
        details: { amount: "must be at least 500.00 KES" },
      },
    },
  },
  listWithdrawals: {
    tag: "Payouts",
    summary: "List withdrawals",
    says: "The organization's withdrawals in the key's mode, newest first.",
    assumed: ALL_ASSUMED,
    query: PAGE,
    answer: {
      component: "WithdrawalList",
      says: "A page.",
      examples: { "one withdrawal": example.WITHDRAWAL_LIST },
    },
  },
  getWithdrawal: {
    tag: "Payouts",
    summary: "Read a withdrawal",
    says: "One withdrawal, to poll as a complement to webhooks.",
    assumed: ALL_ASSUMED,
    answer: { component: "Withdrawal", says: "The withdrawal.", examples: { pending: example.WITHDRAWAL } },
    missing: "There is no such withdrawal in the organization and mode of the key",
  },
};
