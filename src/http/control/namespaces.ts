import { namespaceNameSchema, namespaceRequestSchema } from "../../schema/control.js";
import { invalid, isRefusal, type Refusal } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { readControlPage } from "../query.js";
import { ok, type Reply } from "../reply.js";
import type { ControlCall } from "./operations.js";

/** Every namespace, newest first (contract section 7). */
export function listNamespaces({ namespaces, url }: ControlCall): Reply | Refusal {
  const page = readControlPage(url);
  if (isRefusal(page)) return page;
  const all = namespaces.list();
  return ok({ total: all.length, items: all.slice(page.offset, page.offset + page.limit) });
}

export function getNamespace({ namespaces, param }: ControlCall): Reply | Refusal {
  const found = namespaces.list().find((one) => one.name === param("name"));
  return found === undefined ? namespaces.whyNone(param("name"), null) : ok(found);
}

export function postNamespace({ namespaces, body }: ControlCall): Reply | Refusal {
  const checked = check(namespaceRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  return shown(namespaces.create(checked.data));
}

/** Makes the namespace unless it is there; the same call may be made by every worker of a test run. */
export function putNamespace({ namespaces, body, param }: ControlCall): Reply | Refusal {
  const name = check(namespaceNameSchema, param("name"));
  if (!name.ok) return invalid({ name: issueDetails(name.issues).body ?? "is invalid" });
  const checked = check(namespaceRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  if (checked.data.name !== undefined && checked.data.name !== name.data)
    return invalid({ name: "must be the name in the path" });
  return shown(namespaces.ensure(name.data, checked.data));
}

export function deleteNamespace({ namespaces, param }: ControlCall): Reply | Refusal {
  return namespaces.delete(param("name")) ?? ok({ name: param("name"), deleted: true });
}

function shown(result: object | Refusal): Reply | Refusal {
  return isRefusal(result) ? result : ok(result);
}
