/** What a call has made, as its answer says. */
export interface MadeObject {
  readonly id: string;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly customer_email: string | null;
}

interface Happened {
  readonly namespace: string;
  /** Sandbox time. */
  readonly at: string;
}

export interface RequestHappened extends Happened {
  readonly kind: "request";
  readonly method: string;
  readonly path: string;
  /** Null when there was no answer; `unanswered` says why. */
  readonly status: number | null;
  readonly unanswered: "client gone" | "connection cut" | null;
  readonly fault: string | null;
  /** The scenario run, or the command, that sent it when it was not the app. */
  readonly runner: string | null;
  readonly error: string | null;
  readonly made: MadeObject | null;
}

export interface TransitionHappened extends Happened {
  readonly kind: "transition";
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  /** What decided it. */
  readonly by: string | null;
}

export interface AttemptHappened extends Happened {
  readonly kind: "attempt";
  readonly type: string;
  readonly delivery_id: string;
  readonly target: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly response_body: string | null;
  readonly next_attempt_at: string | null;
}

/** Something that happened in a running sandbox, for whoever looks on. */
export type Happening = RequestHappened | TransitionHappened | AttemptHappened;

/** Hears of each; what there is to know of it is made when it is asked for, for most may never be. */
export type OnHappening = (tell: () => Happening) => void;
