/** The part of a Response that callers use, whether it came from this process or over the network. */
export interface HttpResponse extends Pick<Response, "ok" | "status" | "text"> {
  readonly headers: Iterable<[name: string, value: string]> & {
    get(name: string): string | null | undefined;
  };
  readonly body: (AsyncIterable<Uint8Array> & { cancel(): Promise<void> }) | null;
}
