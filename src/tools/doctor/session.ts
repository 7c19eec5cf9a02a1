import { signatureHeaders } from "../../core/delivery/signing.js";
import type { Answer, Probe, SentProbe } from "../../core/schema/receiver-report.js";
import { type Signature, type SignatureScheme, signatureScheme } from "../../core/schema/webhooks.js";
import type { Wall } from "../../core/time/wall.js";
import { forgedHeaders, type SignatureParts } from "./forged-headers.js";
import { ask } from "./post.js";
import { type SampleEvent, Samples } from "./samples.js";
import type { EyeOptions } from "./sight.js";

export interface CheckOptions {
  readonly url: string;
  readonly secret: string;
  readonly signature: Signature;
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly wall: Wall;
  /** Makes the ids of this run. */
  readonly seed: string;
  /** Where the app's own view of real charges is read; without it, answers are all there is to see. */
  readonly eyes?: EyeOptions | undefined;
  /** Told of each request as it goes out. */
  readonly onSent?: ((request: SentProbe) => void) | undefined;
}

/** A secret the receiver does not know: well formed for every scheme. */
const UNKNOWN_SECRET = "whsec_dGhpcy1pcy1ub3QtdGhlLXNlY3JldC15b3UtYXJlLWxvb2tpbmctZm9yIQ==";

/** A sender does not wait for ever; from here on an answer is worth a word. */
export const SLOW_MS = 5_000;

/** How often something is sent before it counts as failing; more often once a receiver fails now and then. */
const TRIES = 2;
const TRIES_OF_FLAKY = 4;

/** How long to wait at least for one that hangs. */
const LEAST_PATIENCE_MS = 2_000;

/** How a request differs from a properly signed one. */
export interface Sending {
  /** Which secrets sign it; default: the receiver's own. */
  readonly secrets?: readonly string[];
  /** How old the signature says it is; below 0, it is from the future. */
  readonly ageMs?: number;
  /** Changes the bytes after they were signed. */
  readonly tamper?: (body: string) => string;
  /** Changes the signature after it was made. */
  readonly forge?: (parts: SignatureParts) => string;
  readonly isUnsigned?: boolean;
}

/** One check of one receiver: what it is sent, and what a probe needs to know of what came before. */
export class Session {
  readonly samples: Samples;
  readonly scheme: SignatureScheme;
  readonly unknownSecret = UNKNOWN_SECRET;
  readonly secret: string;
  /** The one that is being sent. */
  probe: Probe = "valid";
  /** The first event it accepted, and how. */
  accepted: { readonly event: SampleEvent; readonly answer: Answer } | undefined;
  /** The first properly signed event it answered with a 5xx, and the probe that sent it. */
  crashed: { readonly event: SampleEvent; readonly probe: Probe } | undefined;
  /** Makes the event that is sent first. */
  opening: () => SampleEvent = () => this.samples.event(this.samples.charge());
  readonly options: CheckOptions;
  readonly #url: URL;
  #isFlaky = false;
  #patienceMs: number;
  #slowestMs = 0;

  constructor(options: CheckOptions) {
    this.options = options;
    this.#url = new URL(options.url);
    this.#patienceMs = options.timeoutMs;
    this.secret = options.secret;
    this.scheme = signatureScheme(options.signature);
    this.samples = new Samples(options.seed, () => options.wall.nowMs());
  }

  /** A request that may come out in any way. */
  async send(sent: string, event: SampleEvent, sending: Sending = {}, attempt = 1): Promise<Answer> {
    const { signature, userAgent, wall } = this.options;
    const { secrets = [this.secret], ageMs = 0, tamper, forge, isUnsigned = false } = sending;
    const message = { id: event.id, sentAtMs: wall.nowMs() - ageMs, body: event.body };
    const signed = signatureHeaders(isUnsigned ? "none" : signature, message, secrets);
    const headers = {
      "content-type": "application/json",
      "user-agent": userAgent,
      ...(forge === undefined ? signed : forgedHeaders(this.scheme, signed, forge)),
    };
    const body = tamper === undefined ? event.body : tamper(event.body);
    const request = { sent, attempt, eventId: event.id, headers, body };
    this.options.onSent?.({ probe: this.probe, ...request });
    const answer = await ask(this.#url, request, this.#patienceMs, wall);
    if (answer.kind === "accepted") this.#slowestMs = Math.max(this.#slowestMs, answer.duration_ms);
    return answer;
  }

  /** An event that a good receiver accepts: where it does not, another like it, before anybody is accused. */
  genuine(sent: string, make: () => SampleEvent, sending: Sending = {}): Promise<Answer[]> {
    return this.#untilFine(isFine, async (attempt) => {
      const event = make();
      const answer = await this.send(sent, event, sending, attempt);
      if (answer.kind === "accepted") this.accepted ??= { event, answer };
      if (answer.kind === "crashed") this.crashed ??= { event, probe: this.probe };
      return [answer];
    });
  }

  /** An event it has had before, in good or in bad. */
  again(sent: string, event: SampleEvent): Promise<Answer[]> {
    return this.#untilFine(isFine, async (attempt) => [await this.send(sent, event, {}, attempt)]);
  }

  /** Events that a good receiver accepts at once: where it does not, the same number again. */
  crowd(size: number, make: () => readonly SampleEvent[]): Promise<Answer[]> {
    return this.#untilFine(isFine, (attempt) =>
      Promise.all(make().map((event, index) => this.send(`${index + 1} of ${size}`, event, {}, attempt))),
    );
  }

  /** What a good receiver refuses. That it accepts it once is enough; that it stumbles, is not. */
  forged(sent: string, event: SampleEvent, sending: Sending): Promise<Answer[]> {
    return this.#untilFine(
      ({ kind }) => kind === "refused" || kind === "busy" || kind === "accepted",
      async (attempt) => [await this.send(sent, event, sending, attempt)],
    );
  }

  async #untilFine(
    isGood: (answer: Answer) => boolean,
    round: (attempt: number) => Promise<Answer[]>,
  ): Promise<Answer[]> {
    const all: Answer[] = [];
    for (let attempt = 1; ; attempt++) {
      const answers = await round(attempt);
      all.push(...answers);
      if (answers.every(({ kind }) => kind === "unreachable")) return all;
      if (answers.every(isGood)) {
        this.#isFlaky ||= attempt > 1;
        return all;
      }
      const hangs = answers.some(({ kind }) => kind === "timeout");
      const isKnownToHang = this.#patienceMs < this.options.timeoutMs;
      if (attempt < (this.#isFlaky ? TRIES_OF_FLAKY : TRIES) && !(hangs && isKnownToHang)) continue;
      // One that hangs is not waited for to the end each time.
      if (hangs)
        this.#patienceMs = Math.min(
          this.options.timeoutMs - 1,
          Math.max(LEAST_PATIENCE_MS, 2 * this.#slowestMs),
        );
      return all;
    }
  }
}

/** Accepted, or put off, which a sender grants. */
export function isFine({ kind }: Answer): boolean {
  return kind === "accepted" || kind === "busy";
}
