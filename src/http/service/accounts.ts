import { readBalances } from "../../engine/commands/accounts.js";
import { organizationView } from "../../engine/queries.js";
import { ok } from "../reply.js";
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
        "What the organization holds, by currency. The first read makes accounts in US dollars and in the currency of " +
        "the organization's country; others come with the first payment in them. Not more often than every 10 seconds.",
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
