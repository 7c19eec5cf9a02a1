import { changeKey, changeOrganization } from "../../core/engine/access-changes.js";
import { organizationView } from "../../core/engine/queries.js";
import { keyPatchSchema, organizationPatchSchema } from "../../core/schema/control-requests.js";
import { refuse } from "../../core/schema/refusals.js";
import { viewOrRefusal } from "../http/reply.js";
import { defineControlOperation } from "./control-operation.js";

export const ACCESS_OPERATIONS = [
  defineControlOperation({
    id: "updateKey",
    call: "PATCH /_sandbox/keys/{key}",
    summary: "Update a key",
    description:
      "A revoked key gets 401 from now on, until it is active again. A reset undoes the change only if `keep` does not have `keys`.",
    input: keyPatchSchema,
    output: "Key",
    example: { status: "revoked" },
    run: ({ namespace, input, param }) => {
      const known = namespace.keys.all().find(({ key }) => key === param("key"));
      return known === undefined
        ? refuse("NOT_FOUND", `There is no key "${param("key")}"`)
        : namespace.execute(changeKey(known, input));
    },
  }),
  defineControlOperation({
    id: "updateOrganization",
    call: "PATCH /_sandbox/organizations/{organization_id}",
    summary: "Update an organization",
    description:
      "A deactivated organization gets 404 for every call that needs a key from now on; payments in progress continue. A reset undoes the change.",
    input: organizationPatchSchema,
    output: "Organization",
    example: { status: "deactivated" },
    run: ({ namespace, input, param }) => {
      const { engine } = namespace;
      const changed = namespace.execute(changeOrganization(param("organization_id"), input));
      return viewOrRefusal(changed, (organization) =>
        organizationView(organization, engine.namespace.start_ms),
      );
    },
  }),
];
