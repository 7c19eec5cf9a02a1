import { changeKey, changeOrganization } from "../../core/engine/access-changes.js";
import { organizationView } from "../../core/engine/queries.js";
import { keyPatchSchema, organizationPatchSchema } from "../../core/schema/control-requests.js";
import { refuse } from "../../core/schema/refusals.js";
import { defineControlOperation, viewOrRefusal } from "./control-operation.js";

export const ACCESS_OPERATIONS = [
  defineControlOperation({
    id: "updateKey",
    call: "PATCH /_sandbox/keys/:key",
    body: keyPatchSchema,
    response: "Key",
    docs: {
      summary: "Update a key",
      description:
        "A revoked key gets 401 from now on, until it is active again. A reset undoes the change only if `keep` does not have `keys`.",
      example: { status: "revoked" },
    },
    handle: ({ namespace, body, param }) => {
      const known = namespace.keys.all().find(({ key }) => key === param("key"));
      return known === undefined
        ? refuse("NOT_FOUND", `There is no key "${param("key")}"`)
        : namespace.execute(changeKey(known, body));
    },
  }),
  defineControlOperation({
    id: "updateOrganization",
    call: "PATCH /_sandbox/organizations/:organization_id",
    body: organizationPatchSchema,
    response: "Organization",
    docs: {
      summary: "Update an organization",
      description:
        "A deactivated organization gets 404 for every call that needs a key from now on; payments in progress continue. A reset undoes the change.",
      example: { status: "deactivated" },
    },
    handle: ({ namespace, body, param }) => {
      const { engine } = namespace;
      const changed = namespace.execute(changeOrganization(param("organization_id"), body));
      return viewOrRefusal(changed, (organization) =>
        organizationView(organization, engine.namespace.start_ms),
      );
    },
  }),
];
