/** Shortens a key: recognizable, but not usable. */
export function maskKey(key: string): string {
  return key.length <= 12 ? `${key.slice(0, 4)}…` : `${key.slice(0, 8)}…${key.slice(-4)}`;
}
