/** The members of Response that both in-process calls and network calls provide. */
export interface HttpResponse extends Pick<Response, "ok" | "status" | "text"> {
  readonly headers: Iterable<[name: string, value: string]> & {
    get(name: string): string | null | undefined;
  };
  readonly body: (AsyncIterable<Uint8Array> & { cancel(): Promise<void> }) | null;
}

/** Returns true for a 2xx status; null means no response. Redirects are not followed and count as failures. */
export function isSuccessStatus(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
