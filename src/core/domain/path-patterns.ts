import { findNearestWord } from "../schema/nearest.js";

/** Longer paths get no suggestion. */
const LONGEST_PATH = 200;

/** Character that stands for a route parameter such as `:charge_id`. A parameter matches a whole path segment. */
const PARAMETER = "\0";

export function globMatchesRoute(glob: string, route: string): boolean {
  const parts = route.replace(/:\w+/g, PARAMETER);
  const seen = new Set<number>();
  const open: (readonly [inGlob: number, inRoute: number])[] = [[0, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [g, r] = next;
    const state = g * (parts.length + 1) + r;
    if (seen.has(state)) continue;
    seen.add(state);
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

/** Corrects a typo, adds a missing beginning, or a missing id at the end. Keeps the ids of the path. */
export function suggestPath(path: string, routes: readonly string[]): string | undefined {
  if (path.length > LONGEST_PATH) return undefined;
  const segments = path.split("/");
  const candidates = routes.map((route) => fillParameters(segments, route.split("/")));
  // Excludes routes with an id at the path's first segment: an id matches any text, so the match would mean nothing.
  const first = 1 - segments.length;
  const isNamed = (route: string) => !route.split("/").at(first)?.startsWith(":");
  const full = candidates.find(
    (candidate, i) => path.length > 1 && candidate.endsWith(path) && isNamed(routes[i]!),
  );
  if (full !== undefined) return full;
  const byPath = new Map(candidates.map((path) => [path, path]));
  for (const route of routes) {
    const withoutId = route.replace(/\/:\w+$/, "");
    if (!byPath.has(withoutId)) byPath.set(withoutId, route);
  }
  const found = findNearestWord(
    path,
    [...byPath.keys()].filter((candidate) => isLike(segments, candidate.split("/"))),
  );
  return found === undefined ? undefined : byPath.get(found);
}

/** Replaces a route's parameters by the segments of a path, aligned at the end. */
function fillParameters(segments: readonly string[], route: readonly string[]): string {
  const shift = route.length - segments.length;
  return route.map((part, i) => (part.startsWith(":") ? segments[i - shift] || part : part)).join("/");
}

/** Ignores leading segments that are equal. Otherwise a different word in a long path would count as a typo. */
function isLike(segments: readonly string[], path: readonly string[]): boolean {
  const common = segments.findIndex((segment, i) => segment !== path[i]);
  if (common === -1 || common === path.length) return true;
  return segments.length === path.length
    ? segments.every((segment, i) => isTypo(segment, path[i]!))
    : isTypo(segments.slice(common).join("/"), path.slice(common).join("/"));
}

function isTypo(text: string, intended: string): boolean {
  return text === intended || findNearestWord(text, [intended]) !== undefined;
}
