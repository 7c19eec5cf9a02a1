import { readBalances } from "../../core/engine/commands/accounts.js";
import { organizationView } from "../../core/engine/queries.js";
import { ok } from "../http/reply.js";
import { operation } from "./operation.js";

export const getBalances = operation(
  {
    id: "getBalances",
    method: "GET",
    path: "/api/v1/accounts/balances",
    answer: "Balances",
    says: {
      tag: "Account",
      summary: "Get balances",
      about:
        "The organization's balances by currency. The first read opens accounts in US dollars and in the currency of " +
        "the organization's country; others are opened by the first payment in them. Do not poll more often than every 10 seconds.",
    },
  },
  ({ namespace, caller }) => ok(namespace.read(readBalances(caller))),
);

export const getOrganization = operation(
  {
    id: "getOrganization",
    method: "GET",
    path: "/api/v1/organizations/me",
    answer: "Organization",
    says: {
      tag: "Account",
      summary: "Get the organization",
      about: "The merchant the key belongs to.",
      assumed: "Fields beyond `enabled_payment_methods`.",
    },
  },
  ({ namespace, caller }) => ok(organizationView(caller.organization, namespace.engine.world.start_ms)),
);
