import { namespaceNameSchema, namespaceRequestSchema } from "../../schema/control.js";
import { invalid } from "../../schema/errors.js";
import { pageQuerySchema } from "../../schema/requests.js";
import { controlOperation, listed } from "./operation.js";

export const NAMESPACES = [
  controlOperation(
    { id: "listNamespaces", method: "GET", path: "/_sandbox/namespaces", query: pageQuerySchema },
    ({ namespaces, query }) => listed(namespaces.list(), query),
  ),
  controlOperation(
    { id: "createNamespace", method: "POST", path: "/_sandbox/namespaces", body: namespaceRequestSchema },
    ({ namespaces, body }) => namespaces.create(body),
  ),
  controlOperation(
    { id: "getNamespace", method: "GET", path: "/_sandbox/namespaces/:name" },
    ({ namespaces, param }) =>
      namespaces.list().find(({ name }) => name === param("name")) ?? namespaces.whyNone(param("name"), null),
  ),
  /** Makes the namespace unless it is there; the same call may be made by every worker of a test run. */
  controlOperation(
    {
      id: "putNamespace",
      method: "PUT",
      path: "/_sandbox/namespaces/:name",
      params: { name: namespaceNameSchema },
      body: namespaceRequestSchema,
    },
    ({ namespaces, body, param }) => {
      const name = param("name");
      return body.name !== undefined && body.name !== name
        ? invalid({ name: "must be the name in the path" })
        : namespaces.ensure(name, body);
    },
  ),
  controlOperation(
    { id: "deleteNamespace", method: "DELETE", path: "/_sandbox/namespaces/:name" },
    ({ namespaces, param }) => {
      const name = param("name");
      return namespaces.delete(name) ?? { name, deleted: true };
    },
  ),
];
