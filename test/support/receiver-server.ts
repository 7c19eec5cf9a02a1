import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import { closed, listening } from "./servers.js";

export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly mode: string;
  readonly data: { readonly charge_id: string; readonly status: string };
}

/** A request to a receiver, with methods to respond. */
export class Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly response: ServerResponse;

  constructor(headers: IncomingHttpHeaders, body: string, response: ServerResponse) {
    this.headers = headers;
    this.body = body;
    this.response = response;
  }

  get event(): WebhookEvent {
    return JSON.parse(this.body);
  }

  /** The JSON of `data` exactly as in the body. */
  get dataText(): string {
    return this.body.slice(this.body.indexOf('"data":') + '"data":'.length, -1);
  }

  get isAnswered(): boolean {
    return this.response.writableEnded;
  }

  /** Throws unless the official library accepts the signature. */
  verify(secret: string = DEFAULT_WEBHOOK_SECRET): unknown {
    return new Webhook(secret).verify(this.body, this.headers as Record<string, string>);
  }

  answer(status = 200, headers: Record<string, string> = {}): void {
    this.response.writeHead(status, headers).end("answer");
  }
}

export type Handler = (received: Received) => unknown;

/** Responds immediately with a success. */
export const accept: Handler = (received) => received.answer();
/** Leaves the request open until the test responds. */
export const hold: Handler = () => {};
export const refuseWith =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (received) =>
    received.answer(status, headers);

/** A webhook receiver on a free port. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  handler: Handler;
  port = 0;
  readonly #server: Server;
  #waiting: { count: number; resolve: () => void }[] = [];

  private constructor(handler: Handler) {
    this.handler = handler;
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const received = new Received(request.headers, Buffer.concat(chunks).toString("utf8"), response);
        this.received.push(received);
        void this.handler(received);
        this.#waiting = this.#waiting.filter(({ count, resolve }) => {
          if (this.received.length < count) return true;
          resolve();
          return false;
        });
      });
    });
  }

  static async open(handler: Handler = accept): Promise<Receiver> {
    const receiver = new Receiver(handler);
    receiver.port = await listening(receiver.#server);
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hooks`;
  }

  get types(): string[] {
    return this.received.map((one) => one.event.type);
  }

  /** Waits until this many requests have arrived, and returns the last of them. */
  async arrived(count: number): Promise<Received> {
    if (this.received.length < count)
      await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
    return this.received[count - 1]!;
  }

  /** Returns the requests about one charge, in order. */
  about(chargeId: string): Received[] {
    return this.received.filter((one) => one.event.data.charge_id === chargeId);
  }

  close(): Promise<void> {
    return closed(this.#server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A URL without a listener. */
export const REFUSING_URL = "http://127.0.0.1:4/hooks";

/** Returns a URL on a free port, which another test may take. */
export async function freeUrl(): Promise<string> {
  const receiver = await Receiver.open();
  const { url } = receiver;
  await receiver.close();
  return url;
}
