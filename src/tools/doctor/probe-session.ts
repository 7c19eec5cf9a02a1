import { signatureHeaders } from "../../core/delivery/signing.js";
import type { Answer, Probe } from "../../core/schema/receiver-report.js";
import {
  resolveSignatureScheme,
  type Signature,
  type SignatureScheme,
} from "../../core/schema/signature-schemes.js";
import type { WallClock } from "../../core/time/wall-clock.js";
import { type SampleEvent, SampleFactory } from "./samples.js";
import { sendRequest } from "./send-request.js";

export interface ResolvedCheckOptions {
  readonly url: string;
  readonly secret: string;
  readonly signature: Signature;
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly wall: WallClock;
  readonly seed: string;
}

/** A secret that is valid in every scheme and that the receiver does not know. */
const UNKNOWN_SECRET = "whsec_dGhpcy1pcy1ub3QtdGhlLXNlY3JldC15b3UtYXJlLWxvb2tpbmctZm9yIQ==";

/** An answer that takes longer than this is a fault, because senders give up after some seconds. */
export const SLOW_ANSWER_MS = 5_000;

const TRIES = 2;
const TRIES_OF_FLAKY = 4;

const MIN_TIMEOUT_MS = 2_000;

/** Differences of a request from a properly signed one. */
export interface SignatureOptions {
  /** Signing secrets; default: the receiver's own. */
  readonly secrets?: readonly string[];
  /** Age of the signed timestamp in milliseconds; negative: in the future. */
  readonly ageMs?: number;
  readonly tamper?: (body: string) => string;
  readonly forge?: (parts: SignatureParts) => string;
  readonly isUnsigned?: boolean;
}

export interface CrashedEvent {
  readonly event: SampleEvent;
  readonly probe: Probe;
  readonly wasAccepted: boolean;
}

/** Sends the requests of one check and remembers what later probes need. */
export class ProbeSession {
  readonly samples: SampleFactory;
  readonly scheme: SignatureScheme;
  readonly unknownSecret = UNKNOWN_SECRET;
  readonly secret: string;
  probe: Probe = "valid";
  firstAccepted: { readonly event: SampleEvent; readonly answer: Answer } | undefined;
  retried: CrashedEvent | undefined;
  readonly options: ResolvedCheckOptions;
  readonly #url: URL;
  readonly #crashed: CrashedEvent[] = [];
  readonly #acceptedIds = new Set<string>();
  #isFlaky = false;
  #timeoutMs: number;
  #slowestMs = 0;

  constructor(options: ResolvedCheckOptions) {
    this.options = options;
    this.#url = new URL(options.url);
    this.#timeoutMs = options.timeoutMs;
    this.secret = options.secret;
    this.scheme = resolveSignatureScheme(options.signature);
    this.samples = new SampleFactory(options.seed, () => options.wall.nowMs());
  }

  async send(sent: string, event: SampleEvent, sending: SignatureOptions = {}, attempt = 1): Promise<Answer> {
    const { signature, userAgent, wall } = this.options;
    const { secrets = [this.secret], ageMs = 0, tamper, forge, isUnsigned = false } = sending;
    const message = { id: event.id, sentAtMs: wall.nowMs() - ageMs, body: event.body };
    const signed = signatureHeaders(isUnsigned ? "none" : signature, message, secrets);
    const headers = {
      "content-type": "application/json",
      "user-agent": userAgent,
      ...(forge === undefined ? signed : changeSignature(this.scheme, signed, forge)),
    };
    const body = tamper === undefined ? event.body : tamper(event.body);
    const request = { sent, attempt, eventId: event.id, headers, body };
    const answer = await sendRequest(this.#url, request, this.#timeoutMs, wall);
    if (answer.kind === "accepted") this.#slowestMs = Math.max(this.#slowestMs, answer.duration_ms);
    return answer;
  }

  async deliver(sent: string, event: SampleEvent, sending: SignatureOptions = {}, attempt = 1) {
    const answer = await this.send(sent, event, sending, attempt);
    const wasAccepted = this.#acceptedIds.has(event.id);
    if (answer.kind === "accepted") this.#acceptedIds.add(event.id);
    if (answer.kind === "crashed") this.#crashed.push({ event, probe: this.probe, wasAccepted });
    return answer;
  }

  /** Finds the event to retry: the first one that failed with a 5xx and was never accepted, else the first one. */
  findCrashedEvent(): CrashedEvent | undefined {
    return this.#crashed.find(({ event }) => !this.hasAccepted(event)) ?? this.#crashed[0];
  }

  hasAccepted({ id }: SampleEvent): boolean {
    return this.#acceptedIds.has(id);
  }

  /** Sends a valid event. Repeats with a new event after a failure, because a single failure may be random. */
  sendValid(sent: string, make: () => SampleEvent, sending: SignatureOptions = {}): Promise<Answer[]> {
    return this.#untilFine(isAcceptedOrBusy, async (attempt) => {
      const event = make();
      const answer = await this.deliver(sent, event, sending, attempt);
      if (answer.kind === "accepted") this.firstAccepted ??= { event, answer };
      return [answer];
    });
  }

  resend(sent: string, event: SampleEvent): Promise<Answer[]> {
    return this.#untilFine(isAcceptedOrBusy, async (attempt) => [
      await this.deliver(sent, event, {}, attempt),
    ]);
  }

  /** Sends a batch of valid events concurrently, and another batch if an event fails. */
  sendConcurrently(size: number, make: () => readonly SampleEvent[]): Promise<Answer[]> {
    return this.#untilFine(isAcceptedOrBusy, (attempt) =>
      Promise.all(make().map((event, index) => this.deliver(`${index + 1} of ${size}`, event, {}, attempt))),
    );
  }

  /** Sends an event that the receiver may refuse; repeats it after a failure, but not after an acceptance. */
  sendRefusable(sent: string, event: SampleEvent, sending: SignatureOptions = {}): Promise<Answer[]> {
    return this.#untilFine(
      ({ kind }) => kind === "refused" || kind === "busy" || kind === "accepted",
      async (attempt) => [await this.send(sent, event, sending, attempt)],
    );
  }

  async #untilFine(
    isGood: (answer: Answer) => boolean,
    sendAll: (attempt: number) => Promise<Answer[]>,
  ): Promise<Answer[]> {
    const all: Answer[] = [];
    for (let attempt = 1; ; attempt++) {
      const answers = await sendAll(attempt);
      all.push(...answers);
      if (answers.every(({ kind }) => kind === "unreachable")) return all;
      if (answers.every(isGood)) {
        this.#isFlaky ||= attempt > 1;
        return all;
      }
      const hangs = answers.some(({ kind }) => kind === "timeout");
      const isKnownToHang = this.#timeoutMs < this.options.timeoutMs;
      if (attempt < (this.#isFlaky ? TRIES_OF_FLAKY : TRIES) && !(hangs && isKnownToHang)) continue;
      // Later requests get a shorter timeout.
      if (hangs)
        this.#timeoutMs = Math.min(this.options.timeoutMs - 1, Math.max(MIN_TIMEOUT_MS, 2 * this.#slowestMs));
      return all;
    }
  }
}

/** Returns true for an accepted event, or one the receiver asks to retry later. */
export function isAcceptedOrBusy({ kind }: Answer): boolean {
  return kind === "accepted" || kind === "busy";
}

export interface SignatureParts {
  /** Text before the signature, such as a timestamp. */
  readonly head: string;
  /** Version prefix, such as `v1,`. */
  readonly tag: string;
  readonly value: string;
}

function changeSignature(
  { headers, signatureFormat }: SignatureScheme,
  signed: Readonly<Record<string, string>>,
  forge: (parts: SignatureParts) => string,
): Record<string, string> {
  const tag = signatureFormat.replace("{signature}", "");
  const changed = Object.entries(signed).map(([name, text]): [string, string] => {
    if (!headers[name]?.includes("{signatures}")) return [name, text];
    // The first one: the base64 of a signature may end like the tag.
    const start = text.indexOf(tag);
    return [name, forge({ head: text.slice(0, start), tag, value: text.slice(start + tag.length) })];
  });
  return Object.fromEntries(changed);
}
