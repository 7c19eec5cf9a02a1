import { nearest } from "../schema/nearest.js";

/** Nobody means a route by a longer one. */
const LONGEST_PATH = 200;

/** Any one segment of a route. */
const PARAMETER = "\0";

/** A route's path, a letter a part of it: a parameter such as `:charge_id` is one. */
function partsOf(route: string): string {
  return route.replace(/:\w+/g, PARAMETER);
}

/** Whether some path of a route is as a glob has it. */
export function globFitsRoute(glob: string, route: string): boolean {
  const parts = partsOf(route);
  const seen = new Set<number>();
  const open: (readonly [inGlob: number, inRoute: number])[] = [[0, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [g, r] = next;
    const place = g * (parts.length + 1) + r;
    if (seen.has(place)) continue;
    seen.add(place);
    const [letter, part] = [glob[g], parts[r]];
    if (letter === undefined && part === undefined) return true;
    if (letter === "*") open.push([g + 1, r]);
    if (letter === undefined || part === undefined) continue;
    if (letter === "*") open.push([g, r + 1]);
    else if (part === PARAMETER) {
      if (letter !== "/") open.push([g + 1, r], [g + 1, r + 1]);
    } else if (letter === "?" || letter === part) open.push([g + 1, r + 1]);
  }
  return false;
}

/**
 * The path that was probably meant by one that no route has: a slip in it, or its beginning left out. Where the id at its end
 * was left out too, the route stands for it.
 */
export function nearestPath(path: string, routes: readonly string[]): string | undefined {
  if (path.length > LONGEST_PATH) return undefined;
  const given = path.split("/");
  const meant = routes.map((route) => filledFrom(given, route.split("/")));
  // What has only the place of an id in a route says nothing of the route.
  const first = 1 - given.length;
  const isNamed = (route: string) => !route.split("/").at(first)?.startsWith(":");
  const whole = meant.find((one, at) => path.length > 1 && one.endsWith(path) && isNamed(routes[at]!));
  if (whole !== undefined) return whole;
  const near = new Map(meant.map((one) => [one, one]));
  for (const route of routes) {
    const withoutId = route.replace(/\/:\w+$/, "");
    if (!near.has(withoutId)) near.set(withoutId, route);
  }
  const found = nearest(
    path,
    [...near.keys()].filter((one) => isLike(given, one.split("/"))),
  );
  return found === undefined ? undefined : near.get(found);
}

/** The route with what was given in the place of its parameters. Both end alike. */
function filledFrom(given: readonly string[], route: readonly string[]): string {
  const shift = route.length - given.length;
  return route.map((one, at) => (one.startsWith(":") ? given[at - shift] || one : one)).join("/");
}

/** Whether what they differ in is a slip, or something more at the end: a long beginning in common excuses no other word. */
function isLike(given: readonly string[], path: readonly string[]): boolean {
  const alike = given.findIndex((one, at) => one !== path[at]);
  if (alike === -1 || alike === path.length) return true;
  return given.length === path.length
    ? given.every((one, at) => isSlip(one, path[at]!))
    : isSlip(given.slice(alike).join("/"), path.slice(alike).join("/"));
}

function isSlip(given: string, meant: string): boolean {
  return given === meant || nearest(given, [meant]) !== undefined;
}
