/** Looks up a user's name. Plain indexing would also find inherited names: `constructor`, `toString`, `__proto__`. */
export function getOwn<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
