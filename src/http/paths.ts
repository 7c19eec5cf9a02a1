import type { Route } from "../domain/known-names.js";
import { unknownName } from "../schema/names.js";
import { isOperationId, OPERATION_IDS } from "../schema/operation-ids.js";
import { own } from "../schema/own.js";
import type { Operation } from "./service/operation.js";
import { OPERATIONS } from "./service/operations.js";

/** What is wrong with the path a user gives to an operation. */
export interface PathFault {
  /** As a key of `paths`. */
  readonly id: string;
  readonly message: string;
}

/** Everything that is wrong with the paths a user gives to operations. */
export function pathFaults(paths: Readonly<Record<string, string>>): PathFault[] {
  return Object.entries(paths).flatMap(([id, path]) => {
    const message = faultOf(id, path, paths);
    return message === undefined ? [] : [{ id, message }];
  });
}

function faultOf(id: string, path: string, paths: Readonly<Record<string, string>>): string | undefined {
  if (!isOperationId(id)) return unknownName("operation", id, OPERATION_IDS);
  const operation = OPERATIONS.find((one) => one.id === id)!;
  const wanted = segments(operation.path, /^:/).map((name) => `{${name.slice(1)}}`);
  if (segments(path, /[{}]/).join() !== wanted.join())
    return wanted.length === 0
      ? `has no parameters, but ${path} has`
      : `needs ${wanted.join(" and ")} between slashes, and no other parameter`;
  const twin = OPERATIONS.find((one) => one.id !== id && routeOf(one, paths) === routeOf(operation, paths));
  return twin === undefined
    ? undefined
    : `${operation.method} ${path} is ${twin.id} already: an operation needs a path of its own`;
}

/** Where an operation is, with parameters as `:name`. */
export function pathOf({ id, path }: Operation, paths: Readonly<Record<string, string>>): string {
  return own(paths, id)?.replace(/\{(\w+)\}/g, ":$1") ?? path;
}

/** Where all of them are. */
export function serviceRoutes(paths: Readonly<Record<string, string>>): Route[] {
  return OPERATIONS.map((operation) => ({
    id: operation.id,
    method: operation.method,
    path: pathOf(operation, paths),
  }));
}

/** What a request is told apart by: what a parameter is called does not matter. */
function routeOf({ id, method, path }: Operation, paths: Readonly<Record<string, string>>): string {
  const given = own(paths, id) ?? path;
  return `${method} ${given.replace(/:\w+|\{\w+\}/g, "{}")}`;
}

function segments(path: string, pattern: RegExp): string[] {
  return path.split("/").filter((segment) => pattern.test(segment));
}
