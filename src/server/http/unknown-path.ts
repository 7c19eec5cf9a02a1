import { suggestPath } from "../../core/domain/path-patterns.js";

/**
 * Message for a path without a route.
 *
 * @param page where all calls are listed
 */
export function unknownPathMessage(path: string, routes: readonly string[], page: string): string {
  const near = suggestPath(path, routes);
  return `There is nothing at ${path}${near === undefined ? "" : `; did you mean ${near}? ${page} has every call`}`;
}
