import * as example from "../examples.js";
import type { OperationDoc } from "../operation-doc.js";

export const ACCOUNT_DOCS: Readonly<Record<string, OperationDoc>> = {
  getBalances: {
    tag: "Account",
    summary: "Read balances",
    says:
      "What the organization holds, by currency. The first read makes accounts in US dollars and in the currency of " +
      "the organization's country; others come with the first payment in them. Not more often than every 10 seconds.",
    answer: {
      component: "Balances",
      says: "The balances.",
      examples: { "after a payment": example.BALANCES },
    },
  },
  getOrganization: {
    tag: "Account",
    summary: "Read the organization",
    says: "The merchant the key belongs to.",
    assumed: "Fields beyond `enabled_payment_methods`.",
    answer: {
      component: "Organization",
      says: "The organization.",
      examples: { "the sandbox's": example.ORGANIZATION },
    },
  },
};
