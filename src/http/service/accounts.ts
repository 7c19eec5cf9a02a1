import { readBalances } from "../../engine/commands/accounts.js";
import { organizationView } from "../../engine/queries.js";
import { ok } from "../reply.js";
import { operation } from "./operation.js";

export const getBalances = operation(
  { id: "getBalances", method: "GET", path: "/api/v1/accounts/balances" },
  ({ namespace, caller }) => ok(namespace.read(readBalances(caller))),
);

export const getOrganization = operation(
  { id: "getOrganization", method: "GET", path: "/api/v1/organizations/me" },
  ({ namespace, caller }) => ok(organizationView(caller.organization, namespace.engine.world.start_ms)),
);
