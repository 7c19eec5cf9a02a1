/**
 * What a table has under a name that a user wrote. Plain indexing also finds what every object has: `constructor`,
 * `toString`, `__proto__`.
 */
export function own<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
