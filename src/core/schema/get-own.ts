/** Looks up a name a user wrote. Plain indexing also finds inherited ones: `constructor`, `toString`, `__proto__`. */
export function getOwn<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
