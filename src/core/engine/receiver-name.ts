import type { Endpoint } from "./records.js";

/** A receiver for people: its URL without scheme and credentials, or its mailbox. */
export function receiverName(endpoint: Endpoint | undefined): string {
  if (endpoint === undefined) return "a deleted receiver";
  return endpoint.url === null
    ? `mailbox ${endpoint.mailbox}`
    : endpoint.url.replace(/^https?:\/\/([^/@]*@)?/, "");
}
