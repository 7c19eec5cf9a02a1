/** A state without the fields that a read changes. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
export type Collections = Readonly<Record<string, readonly (readonly [string | number, any])[]>>;

/** A namespace as read by the control API. */
export interface Seen {
  readonly isThere: boolean;
  readonly apiKey: string;
  readonly collections: Collections;
  readonly snapshots: readonly string[];
}

export const NOTHING: Seen = { isThere: false, apiKey: "", collections: {}, snapshots: [] };

/** The expected state after a restart. */
export interface Kept {
  readonly seen: Seen;
  /** A snapshot may have two states after a call without response. */
  readonly snapshots: ReadonlyMap<string, readonly Collections[]>;
}

export function collectionsOf(state: { collections: Collections }): Collections {
  const clock = state.collections.clock!.map(([key, { wall_ms: _, ...kept }]) => [key, kept] as const);
  return { ...state.collections, clock };
}

export function isSame(one: Seen, other: Seen): boolean {
  return (
    one.isThere === other.isThere &&
    one.apiKey === other.apiKey &&
    one.snapshots.join() === other.snapshots.join() &&
    differences(one.collections, other.collections).length === 0
  );
}

/** True if the state is that of a restore or an import. */
export function isRestored(now: Seen, from: Collections): boolean {
  return now.isThere && differences(now.collections, from).every((text) => text.startsWith("namespace "));
}

/** Returns the records that differ, with both values. */
export function differences(one: Collections, other: Collections): string[] {
  const found: string[] = [];
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const [was, is] = [textsOf(one[name]), textsOf(other[name])];
    for (const key of new Set([...was.keys(), ...is.keys()]))
      if (was.get(key) !== is.get(key)) found.push(`${name} ${key}: ${was.get(key)} | ${is.get(key)}`);
  }
  return found;
}

function textsOf(entries: Collections[string] = []): Map<string, string> {
  return new Map(entries.map(([key, record]) => [String(key), JSON.stringify(record)]));
}
