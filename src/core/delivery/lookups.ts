import * as dns from "node:dns";
import type { LookupFunction } from "node:net";
import { isMetadataAddress } from "../schema/receiver-url.js";

const LOCALHOST: dns.LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** Node gives an address 250 ms to connect before it tries the next: a busy machine would miss the one that listens. */
const PATIENCE_MS = 600_000;

/**
 * How the name in a URL becomes an address, for whatever the sandbox calls: receivers, the app under test. One that
 * is an address already is not looked up. `resolve` is the machine's own resolver unless told otherwise.
 */
export function lookupOptions(
  hostname: string,
  resolve?: LookupFunction,
): { lookup?: LookupFunction; autoSelectFamily?: true; autoSelectFamilyAttemptTimeout?: number } {
  if (hostname === "localhost")
    return {
      lookup: lookupLocalhost,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: PATIENCE_MS,
    };
  if (/^[\d.]+$|^\[/.test(hostname)) return {};
  return { lookup: lookupElsewhere(resolve ?? (dns.lookup as LookupFunction)) };
}

/**
 * `localhost` is both loopback addresses, whatever the machine's hosts file says: an app may listen on either,
 * and many do without saying which.
 */
const lookupLocalhost: LookupFunction = (_hostname, options, callback) => {
  if (options.all) callback(null, LOCALHOST);
  else callback(null, LOCALHOST[0]!.address, LOCALHOST[0]!.family);
};

/** As `resolve` answers; a name that leads to a cloud's metadata service is found to lead nowhere. */
function lookupElsewhere(resolve: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    resolve(hostname, options, (error, found, family) => {
      const addresses = typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
      const refused = error === null ? addresses.find(isMetadataAddress) : undefined;
      if (refused === undefined) callback(error, found, family);
      else callback(new Error(`${hostname} is ${refused}, a cloud's metadata address`), "");
    });
}
