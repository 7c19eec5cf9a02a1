/** One call of the service as it came and as it was answered. */
export interface ServedRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly operation: string | null;
  /** Null when there was no answer: the call is in flight, the connection was cut, or the client had gone. */
  readonly status: number | null;
  /** The client hung up before it was answered. */
  readonly clientGone: boolean;
  readonly apiKey: string | null;
  readonly requestBody: string | null;
  readonly responseBody: string | null;
  /** The work was done, and a fault kept the answer back. */
  readonly isAnswerLost?: boolean | undefined;
  /** The code of an error that was answered, as the sandbox calls it. */
  readonly errorCode: string | null;
  readonly idempotencyKey: string | null;
  /** The scenario run that sent it, when it was not the app (header `Sandbox-Runner`). */
  readonly runner?: string | null;
  readonly scenario: string | null;
  readonly fault: string | null;
  /** The charge or withdrawal it has made; without an answer, the one it is about. */
  objectId?: string | undefined;
  /** What the service passed over without a word: a place and what is odd about it, each. */
  readonly tolerated?: readonly string[] | undefined;
}

/** When a call came. */
export interface Arrival {
  /** Sandbox time. */
  readonly atMs: number;
  readonly wallMs: number;
}

export interface JournalEntry extends ServedRequest {
  readonly id: number;
  /** It has come, and is not over yet. */
  inFlight: boolean;
  /** When it came, in sandbox time; written as text for whoever asks to see it. */
  readonly atMs: number;
  /** Ids of the advice about this request. */
  habits?: readonly string[] | undefined;
  /** In wall time: an app's pauses are seen by it where sandbox time stands. */
  readonly wallMs: number;
  /** Wall time from its arrival to its response. */
  readonly durationMs: number;
  /** How long a body was of which only the beginning is kept. */
  readonly requestBytes?: number;
  readonly responseBytes?: number;
}
