/** The part of a Response that is the same for calls in this process and over the network. */
export interface HttpResponse extends Pick<Response, "ok" | "status" | "text"> {
  readonly headers: Iterable<[name: string, value: string]> & {
    get(name: string): string | null | undefined;
  };
  readonly body: (AsyncIterable<Uint8Array> & { cancel(): Promise<void> }) | null;
}
