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

/** The path that was probably meant by one that no route has: a slip in it, or its beginning left out. */
export function nearestPath(path: string, routes: readonly string[]): string | undefined {
  if (path.length > LONGEST_PATH) return undefined;
  const given = path.split("/");
  const meant = routes.map((route) => {
    const segments = route.split("/");
    const shift = segments.length - given.length;
    return segments.map((one, at) => (one.startsWith(":") ? given[at - shift] || one : one)).join("/");
  });
  const whole = meant.find((one) => path.length > 1 && one.endsWith(path));
  return whole ?? nearest(path, meant);
}
