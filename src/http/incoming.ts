import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { atTurnsEnd, isTurnsEndAwaited } from "../time/turns-end.js";
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

  /**
   * What was taken, when it is over. Calls of several connections are read together, worked on together at the end of the
   * turn and answered together: a processor that does one thing at a time does it in three quarters of the time.
   * Whoever calls alone does not wait for that.
   */
  takenBody(): Promise<RawBody> {
    return new Promise((resolve) => {
      const give = (): void => resolve(this.#body());
      const giveInTurn = (): void => {
        if (callsAlone(this.socket)) give();
        else atTurnsEnd(give);
      };
      if (this.#end !== undefined) giveInTurn();
      else this.#onEnd = giveInTurn;
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

/** The connection by which the last body came. */
let lastConnection: Socket | undefined;

/** Whether the last body came by it, too, and has not been left to the end of this turn. */
function callsAlone(connection: Socket): boolean {
  const isAlone = connection === lastConnection && !isTurnsEndAwaited();
  lastConnection = connection;
  return isAlone;
}
