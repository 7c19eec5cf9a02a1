import { signatureHeaders } from "../delivery/signing.js";
import { type Signature, type SignatureScheme, signatureScheme } from "../schema/webhooks.js";
import type { Wall } from "../time/wall.js";
import { post } from "./post.js";
import type { Answer } from "./report.js";
import { type SampleEvent, Samples } from "./samples.js";

export interface CheckOptions {
  readonly url: string;
  readonly secret: string;
  readonly signature: Signature;
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly wall: Wall;
  /** Makes the ids of this run. */
  readonly seed: string;
}

/** A secret the receiver does not know: well formed for every scheme. */
const UNKNOWN_SECRET = "whsec_dGhpcy1pcy1ub3QtdGhlLXNlY3JldC15b3UtYXJlLWxvb2tpbmctZm9yIQ==";

/** How a request differs from a properly signed one. */
export interface Sending {
  /** Which secrets sign it; default: the receiver's own. */
  readonly secrets?: readonly string[];
  /** How old the signature says it is. */
  readonly ageMs?: number;
  /** Changes the bytes after they were signed. */
  readonly tamper?: (body: string) => string;
  readonly isUnsigned?: boolean;
}

/** One check of one receiver: what it is sent, and what a probe needs to know. */
export class Session {
  readonly samples: Samples;
  readonly scheme: SignatureScheme;
  readonly unknownSecret = UNKNOWN_SECRET;
  readonly secret: string;
  readonly #options: CheckOptions;
  readonly #url: URL;

  constructor(options: CheckOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    this.secret = options.secret;
    this.scheme = signatureScheme(options.signature);
    this.samples = new Samples(options.seed, () => options.wall.nowMs());
  }

  send(sent: string, event: SampleEvent, sending: Sending = {}): Promise<Answer> {
    const { signature, timeoutMs, userAgent, wall } = this.#options;
    const { secrets = [this.secret], ageMs = 0, tamper, isUnsigned = false } = sending;
    const message = { id: event.id, sentAtMs: wall.nowMs() - ageMs, body: event.body };
    const headers = {
      "content-type": "application/json",
      "user-agent": userAgent,
      ...signatureHeaders(isUnsigned ? "none" : signature, message, secrets),
    };
    const body = tamper === undefined ? event.body : tamper(event.body);
    return post(this.#url, { sent, eventId: event.id, headers, body }, timeoutMs, wall);
  }
}
