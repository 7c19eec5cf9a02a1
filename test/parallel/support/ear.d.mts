import type { IncomingHttpHeaders } from "node:http";

export interface Heard {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export declare class Ear {
  readonly heard: Heard[];
  readonly url: string;
  static open(): Promise<Ear>;
  close(): Promise<void>;
}
