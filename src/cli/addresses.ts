import { networkInterfaces } from "node:os";
import { DEFAULT_HOST } from "../core/schema/option-schemas.js";
import type { StartOptions } from "../core/schema/option-table.js";
import { sandboxUrl } from "../port.js";
import { hostName, isWildcardAddress, normalizeAddress } from "../server/http/hosts.js";

/** Other URLs of a server that listens on every address. */
export interface OtherAddresses {
  readonly urls: readonly string[];
  /** An address of this machine that is not an allowed host. */
  readonly refused: string | undefined;
}

/** Lists the allowed hosts. Undefined unless the server listens on every address. */
export function otherAddresses(port: number | undefined, options: StartOptions): OtherAddresses | undefined {
  const { host = DEFAULT_HOST, allowed_host = [] } = options;
  if (port === undefined || !isWildcardAddress(normalizeAddress(host))) return undefined;
  const names = allowed_host.map(hostName);
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address);
  return {
    urls: names.map((name) => sandboxUrl(name, port, options)),
    refused: own.find((address) => !names.includes(address)),
  };
}
