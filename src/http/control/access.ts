import { changeKey, changeOrganization } from "../../engine/access.js";
import { organizationView } from "../../engine/queries.js";
import { keyPatchSchema, organizationPatchSchema } from "../../schema/control.js";
import { refuse } from "../../schema/errors.js";
import { controlOperation, shown } from "./operation.js";

const UNTIL_RESET = "A reset undoes the change.";

export const ACCESS = [
  controlOperation(
    {
      id: "updateKey",
      method: "PATCH",
      path: "/_sandbox/keys/:key",
      body: keyPatchSchema,
      answer: "Key",
      says: {
        summary: "Update a key",
        about: `A revoked key gets 401 from now on, until it is active again. ${UNTIL_RESET}`,
        example: { status: "revoked" },
      },
    },
    ({ namespace, body, param }) => {
      const known = namespace.keys.all().find(({ key }) => key === param("key"));
      return known === undefined
        ? refuse("NOT_FOUND", `There is no key "${param("key")}"`)
        : namespace.execute(changeKey(known, body));
    },
  ),
  controlOperation(
    {
      id: "updateOrganization",
      method: "PATCH",
      path: "/_sandbox/organizations/:organization_id",
      body: organizationPatchSchema,
      answer: "Organization",
      says: {
        summary: "Update an organization",
        about: `A deactivated organization gets 404 for every call from now on; payments in progress continue. ${UNTIL_RESET}`,
        example: { status: "deactivated" },
      },
    },
    ({ namespace, body, param }) => {
      const { engine } = namespace;
      const changed = namespace.execute(changeOrganization(param("organization_id"), body));
      return shown(changed, (organization) => organizationView(organization, engine.world.start_ms));
    },
  ),
];
