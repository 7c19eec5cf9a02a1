import { nearest } from "../schema/nearest.js";
import { OPERATIONS } from "./operations.js";

/** What is wrong with the paths a user gives to operations; undefined when nothing is. */
export function pathFault(paths: Readonly<Record<string, string>>): string | undefined {
  for (const [id, path] of Object.entries(paths)) {
    const operation = OPERATIONS.find((one) => one.id === id);
    if (operation === undefined) {
      const near = nearest(
        id,
        OPERATIONS.map((one) => one.id),
      );
      return `paths.${id}: there is no such operation${near === undefined ? "" : `; did you mean ${near}?`}`;
    }
    const wanted = segments(operation.path, /^:/).map((name) => `{${name.slice(1)}}`);
    if (segments(path, /[{}]/).join() !== wanted.join())
      return wanted.length === 0
        ? `paths.${id}: has no parameters, but ${path} has`
        : `paths.${id}: needs ${wanted.join(" and ")} between slashes, and no other parameter`;
  }
  return undefined;
}

function segments(path: string, pattern: RegExp): string[] {
  return path.split("/").filter((segment) => pattern.test(segment));
}
