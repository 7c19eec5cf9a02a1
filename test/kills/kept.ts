/** A state as `GET /_sandbox/state` returns it, without the fields that a read changes. */
// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the wire says
export type Collections = Readonly<Record<string, readonly (readonly [string | number, any])[]>>;

/** A namespace as a caller sees it. */
export interface Seen {
  readonly isThere: boolean;
  readonly apiKey: string;
  readonly collections: Collections;
  readonly snapshots: readonly string[];
}

export const NOTHING: Seen = { isThere: false, apiKey: "", collections: {}, snapshots: [] };

/** The state expected when the process starts again. */
export interface Kept {
  readonly seen: Seen;
  /** A snapshot may have either of two states when it was overwritten without a response. */
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

/** True if the state is that of a restore or an import, except for the number of restores. */
export function isRestored(now: Seen, from: Collections): boolean {
  return now.isThere && differences(now.collections, from).every((text) => text.startsWith("namespace "));
}

/** The records that differ, each with what the one says and the other. */
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
