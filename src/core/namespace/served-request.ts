/** A service call and its response. */
export interface ServedRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly operation: string | null;
  /** Null without a response: in flight, cut off, or the client disconnected. */
  readonly status: number | null;
  readonly hasClientDisconnected: boolean;
  readonly apiKey: string | null;
  readonly requestBody: string | null;
  readonly responseBody: string | null;
  /** A fault suppressed the response after the call took effect. */
  readonly isResponseLost?: boolean | undefined;
  /** Error code of the response, before the option `error_codes` renames it. */
  readonly errorCode: string | null;
  readonly idempotencyKey: string | null;
  /** Id of the scenario run that sent the request (header `Sandbox-Runner`); null if the app sent it. */
  readonly runner?: string | null;
  readonly scenario: string | null;
  readonly fault: string | null;
  /** Id of the created object. With a fault: id of the object in the response, even if the response is lost. */
  objectId?: string | undefined;
  /** Location and problem of each input that was silently ignored. */
  readonly tolerated?: readonly string[] | undefined;
}

/** Time at which a call arrived. */
export interface ArrivalTime {
  /** Sandbox time. */
  readonly atMs: number;
  readonly wallMs: number;
}

export interface RequestEntry extends ServedRequest {
  readonly id: number;
  /** True until the call is answered or its connection is closed. */
  inFlight: boolean;
  /** Sandbox time of arrival. */
  readonly atMs: number;
  /** Ids of the advice about this request. */
  adviceIds?: readonly string[] | undefined;
  /** Wall time of arrival. Shows the app's pauses while sandbox time stands still. */
  readonly wallMs: number;
  /** Wall time from arrival to response. */
  readonly durationMs: number;
  /** Full length of a truncated body. */
  readonly requestBytes?: number;
  readonly responseBytes?: number;
}
