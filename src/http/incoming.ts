import { IncomingMessage } from "node:http";
import { type RawBody, textOf } from "./body.js";

/**
 * A request of which the body may be taken as it comes from Node's parser. The buffer and the events of a stream between
 * take as long as the rest of a read.
 */
export class Incoming extends IncomingMessage {
  /** What has come; undefined for a request whose body is a stream. */
  #taken: Buffer[] | undefined;
  #end: "whole" | "torn" | undefined;
  #onEnd: (() => void) | undefined;

  /** No stream has it from now on. To be called before any of it has come; it must be known not to be too long. */
  takeBody(): void {
    this.#taken = [];
    // Node drops what nobody reads.
    this._read(0);
  }

  /** What was taken, when it is over. */
  takenBody(): Promise<RawBody> {
    return new Promise((resolve) => {
      if (this.#end !== undefined) resolve(this.#body());
      else this.#onEnd = () => resolve(this.#body());
    });
  }

  #body(): RawBody {
    if (this.#end === "torn") return { torn: true };
    const taken = this.#taken ?? [];
    return textOf(taken.length === 1 ? taken[0]! : Buffer.concat(taken));
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.#taken === undefined) return super.push(chunk, encoding);
    if (chunk === null) this.#over("whole");
    else this.#taken.push(chunk);
    return true;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (this.#taken !== undefined) this.#over("torn");
    super._destroy(error, callback);
  }

  /** What is whole stays so, whatever becomes of the connection. */
  #over(end: "whole" | "torn"): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#onEnd?.();
  }
}
