import type { Json } from "./json.js";

/** Examples by what they are called, each with the value it shows. */
export type Examples = Readonly<Record<string, unknown>>;

/** What was sent to a call and what it answered, by status. */
export interface PlayedCall {
  readonly bodies: Examples;
  readonly answers: Readonly<Record<number, Examples>>;
}

/** What was seen while a story was played: the examples of a document. */
export interface Played {
  readonly calls: Readonly<Record<string, PlayedCall>>;
  /** An event of each type. */
  readonly events: Readonly<Record<string, Json>>;
}

export const NOTHING_PLAYED: Played = { calls: {}, events: {} };

export function playedOf({ calls }: Played, id: string): PlayedCall {
  return calls[id] ?? { bodies: {}, answers: {} };
}
