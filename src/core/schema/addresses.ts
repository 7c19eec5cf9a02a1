/** An address without the slashes at its end: a path that begins with one can follow. */
export function withoutEndSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === "/") end--;
  return address.slice(0, end);
}
