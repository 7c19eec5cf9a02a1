import * as http from "node:http";
import { lazily } from "../schema/lazily.js";
import { lookupOptions } from "./lookups.js";

/** How to call an address on a connection of its own, redirects not followed. */
export async function callerOf(url: URL): Promise<(options: http.RequestOptions) => http.ClientRequest> {
  const { request } = url.protocol === "https:" ? await lazily(() => import("node:https")) : http;
  const lookup = lookupOptions(url.hostname);
  return (options) => request(url, { agent: false, ...options, ...lookup });
}

/** One line: the address family attempts of `localhost` come as an error of errors. */
export function networkErrorText(error: NodeJS.ErrnoException): string {
  const errors = (error as { errors?: unknown }).errors;
  if (Array.isArray(errors) && errors.length > 0)
    return errors.map((one) => (one instanceof Error ? one.message : String(one))).join("; ");
  return error.message || String(error.code ?? error);
}
