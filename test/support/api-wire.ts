import { connect, type Socket } from "node:net";
import { atEnd } from "./lifetime.js";

/** A response as received. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection for requests that an HTTP client would not send. */
export class Wire {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    socket.on("close", end);
    socket.on("end", end);
    // The server resets the connection after its response to an upload.
    socket.on("error", end);
  }

  static async open(port: number, host = "127.0.0.1"): Promise<Wire> {
    const socket = connect(port, host);
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    const wire = new Wire(socket);
    atEnd(() => wire.close());
    return wire;
  }

  write(bytes: string | Buffer): void {
    if (!this.#ended) this.#socket.write(bytes);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Returns the next response, or undefined when the connection ended. */
  async next(isToHead = false): Promise<WireAnswer | undefined> {
    for (;;) {
      const answer = this.#take(isToHead);
      if (answer !== undefined) return answer;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(isToHead: boolean): WireAnswer | undefined {
    const split = this.#received.indexOf("\r\n\r\n");
    if (split === -1) return undefined;
    const [first, ...lines] = this.#received.toString("latin1", 0, split).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const status = Number(first!.split(" ")[1]);
    const start = split + 4;
    let end: number;
    if (status < 200) {
      this.#received = this.#received.subarray(start);
      return { status, headers, body: "" };
    }
    if (headers["transfer-encoding"] === "chunked") {
      // Node's own chunked responses have an empty body.
      if (this.#received.toString("latin1", start, start + 5) !== "0\r\n\r\n") return undefined;
      this.#received = this.#received.subarray(start + 5);
      return { status, headers, body: "" };
    }
    if (isToHead) end = start;
    else if (headers["content-length"] !== undefined) end = start + Number(headers["content-length"]);
    else if (this.#ended) end = this.#received.length;
    else return undefined;
    if (this.#received.length < end) return undefined;
    const body = this.#received.toString("utf8", start, end);
    this.#received = this.#received.subarray(end);
    return { status, headers, body };
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Sends bytes on a new connection and returns the response. */
export async function exchange(
  port: number,
  request: string | Buffer,
  host?: string,
): Promise<WireAnswer | undefined> {
  const wire = await Wire.open(port, host);
  wire.write(request);
  const answer = await wire.next();
  wire.close();
  return answer;
}

/** Returns the head of a request with HTTP line endings. */
export function head(...lines: string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}
