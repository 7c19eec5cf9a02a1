/** A value as a shell reads it back, whatever is in it. */
export function shellQuoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
