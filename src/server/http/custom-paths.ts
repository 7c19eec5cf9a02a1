import type { Route } from "../../core/domain/name-check.js";
import { getOwn } from "../../core/schema/json-objects.js";
import { unknownNameMessage } from "../../core/schema/name-kinds.js";
import { isOperationId, OPERATION_IDS } from "../../core/schema/operation-ids.js";
import type { Operation } from "../service/operation.js";
import { OPERATIONS } from "../service/operations.js";

export function pathFaults(paths: Readonly<Record<string, string>>) {
  return Object.entries(paths).flatMap(([id, path]) => {
    const message = pathFault(id, path, paths);
    return message === undefined ? [] : [{ path: ["paths", id], message }];
  });
}

function pathFault(id: string, path: string, paths: Readonly<Record<string, string>>): string | undefined {
  if (!isOperationId(id)) return unknownNameMessage("operation", id, OPERATION_IDS);
  const operation = OPERATIONS.find(({ id: operationId }) => operationId === id)!;
  const parameters = segments(operation.path, /^:/).map((name) => `{${name.slice(1)}}`);
  if (segments(path, /[{}]/).join() !== parameters.join())
    return parameters.length === 0
      ? `has no parameters, but ${path} has`
      : `needs ${parameters.join(" and ")} between slashes, and no other parameter`;
  const duplicate = OPERATIONS.find(
    (other) => other.id !== id && routeOf(other, paths) === routeOf(operation, paths),
  );
  return duplicate === undefined
    ? undefined
    : `${operation.method} ${path} is ${duplicate.id} already: an operation needs a path of its own`;
}

/** The path of an operation, with parameters as `:name`. */
export function operationPath({ id, path }: Operation, paths: Readonly<Record<string, string>>): string {
  return getOwn(paths, id)?.replace(/\{(\w+)\}/g, ":$1") ?? path;
}

export function serviceRoutes(paths: Readonly<Record<string, string>>): Route[] {
  return OPERATIONS.map((operation) => ({
    id: operation.id,
    method: operation.method,
    path: operationPath(operation, paths),
  }));
}

/** Method and path without parameter names, to find duplicates. */
function routeOf({ id, method, path }: Operation, paths: Readonly<Record<string, string>>): string {
  const customPath = getOwn(paths, id) ?? path;
  return `${method} ${customPath.replace(/:\w+|\{\w+\}/g, "{}")}`;
}

function segments(path: string, pattern: RegExp): string[] {
  return path.split("/").filter((segment) => pattern.test(segment));
}
