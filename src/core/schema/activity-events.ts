export interface CreatedObject {
  readonly id: string;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly customer_email: string | null;
}

interface ActivityBase {
  readonly namespace: string;
  /** Sandbox time. */
  readonly at: string;
}

export interface RequestActivity extends ActivityBase {
  readonly kind: "request";
  readonly method: string;
  readonly path: string;
  /** HTTP status; null if there is no response. `unanswered` then has the reason. */
  readonly status: number | null;
  readonly unanswered: "client gone" | "connection cut" | null;
  readonly fault: string | null;
  /** The scenario run or command that sent the request; null if the app sent it. */
  readonly runner: string | null;
  readonly error: string | null;
  readonly made: CreatedObject | null;
}

export interface TransitionActivity extends ActivityBase {
  readonly kind: "transition";
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  /** Cause of the change, such as `(by the customer)` or `FIELD matches GLOB (scenario NAME)`; null if unknown. */
  readonly by: string | null;
}

export interface AttemptActivity extends ActivityBase {
  readonly kind: "attempt";
  readonly type: string;
  /** Charge or withdrawal of the event; null for a test event. */
  readonly id: string | null;
  readonly delivery_id: string;
  /** Name of a further delivery of its event to the receiver, such as `duplicate`. */
  readonly copy?: string | undefined;
  readonly target: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly response_body: string | null;
  readonly next_attempt_at: string | null;
  /** True if no attempt is made because nothing listens at the receiver. */
  readonly isHeld?: boolean;
}

/** A line of the live log of a running sandbox. */
export type Activity = RequestActivity | TransitionActivity | AttemptActivity;

/** Listener of the live log. `create` builds the activity on demand, since most activities are never printed. */
export type OnActivity = (create: () => Activity) => void;
