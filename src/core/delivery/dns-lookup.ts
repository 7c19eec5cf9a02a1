import * as dns from "node:dns";
import type { LookupFunction } from "node:net";
import { isMetadataAddress } from "../schema/receiver-url.js";

const LOCALHOST: dns.LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** Node's default is 250 ms per address, too short for a busy machine. */
const CONNECT_TIMEOUT_MS = 600_000;

/**
 * Name resolution for all outgoing requests: to receivers and to the app under test. Addresses are not looked up.
 *
 * @param resolve default: the machine's resolver
 */
export function lookupOptions(
  hostname: string,
  resolve?: LookupFunction,
): { lookup?: LookupFunction; autoSelectFamily?: true; autoSelectFamilyAttemptTimeout?: number } {
  if (hostname === "localhost")
    return {
      lookup: lookupLocalhost,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: CONNECT_TIMEOUT_MS,
    };
  if (/^[\d.]+$|^\[/.test(hostname)) return {};
  return { lookup: lookupChecked(resolve ?? (dns.lookup as LookupFunction)) };
}

/** `localhost` means both loopback addresses, regardless of the hosts file: an app may listen on either. */
const lookupLocalhost: LookupFunction = (_hostname, options, callback) => {
  if (options.all) callback(null, LOCALHOST);
  else callback(null, LOCALHOST[0]!.address, LOCALHOST[0]!.family);
};

/** Resolves a name, but refuses cloud metadata addresses. */
function lookupChecked(resolve: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    resolve(hostname, options, (error, result, family) => {
      const addresses = typeof result === "string" ? [result] : (result ?? []).map(({ address }) => address);
      const metadataAddress = error === null ? addresses.find(isMetadataAddress) : undefined;
      if (metadataAddress === undefined) callback(error, result, family);
      else callback(new Error(`${hostname} is ${metadataAddress}, a cloud's metadata address`), "");
    });
}
