import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { vi } from "vitest";

/** Resolves every host name in this process to the address. */
export function everyNameIs(address: string): void {
  const family = address.includes(":") ? 6 : 4;
  vi.spyOn(dns, "lookup").mockImplementation(((
    _name: string,
    options: dns.LookupOptions,
    callback: (error: null, found: string | dns.LookupAddress[], family?: number) => void,
  ) => (options.all ? callback(null, [{ address, family }]) : callback(null, address, family))) as never);
  syncBuiltinESMExports();
}

export function namesAreAsEver(): void {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
}
