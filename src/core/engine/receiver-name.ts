import type { Endpoint } from "./records.js";

/** Receiver as shown to users: its URL without scheme and credentials, or its mailbox. */
export function receiverName(endpoint: Endpoint | undefined): string {
  if (endpoint === undefined) return "a deleted receiver";
  return endpoint.url === null
    ? `mailbox ${endpoint.mailbox}`
    : endpoint.url.replace(/^https?:\/\/([^/@]*@)?/, "");
}
