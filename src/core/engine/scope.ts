import type { WorldRecord } from "./records.js";

const scopes = new WeakMap<WorldRecord, string>();

/** What every id of that world is derived from besides its counter. */
export function scopeOf(world: WorldRecord): string {
  let scope = scopes.get(world);
  if (scope === undefined) {
    const { seed, name, generation, restores } = world;
    scope = `${seed}\0${name}\0${restores === 0 ? generation : `${generation}.${restores}`}`;
    scopes.set(world, scope);
  }
  return scope;
}
