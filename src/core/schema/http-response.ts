/** The members of Response that both in-process calls and network calls provide. */
export interface HttpResponse extends Pick<Response, "ok" | "status" | "text"> {
  readonly headers: Iterable<[name: string, value: string]> & {
    get(name: string): string | null | undefined;
  };
  readonly body: (AsyncIterable<Uint8Array> & { cancel(): Promise<void> }) | null;
}
