import type * as z from "zod/mini";
import type { Note, NotesOf } from "./types.js";

/** What the document says of an operation beyond its row in the table of operations. */
export interface OperationDoc {
  readonly tag: Tag;
  readonly summary: string;
  readonly says: string;
  readonly assumed?: string;
  readonly query?: { readonly schema: z.ZodMiniObject; readonly notes: Readonly<Record<string, Note>> };
  /** Request headers besides the key. */
  readonly headers?: readonly ("Idempotency-Key" | "Sandbox-Scenario")[];
  readonly body?: { readonly component: string; readonly examples: Examples };
  readonly answer: {
    readonly component: string;
    readonly says: string;
    readonly examples: Examples;
    readonly replayable?: boolean;
  };
  /** What else it answers 400 for, by example; the rest follows from the schemas. */
  readonly invalid?: Readonly<Record<string, ErrorExample>>;
  /** What it answers 404 for besides an unknown organization or namespace. */
  readonly missing?: string;
}

export const TAGS = {
  Catalogue: "What can be paid with and in, and where money can be sent.",
  Payments: "Quotes, checkouts and the charges they lead to.",
  Account: "The organization and what it holds.",
  Payouts: "Money out of the balance. All of it is assumed, but for the minimum amounts.",
  Webhooks: "Who hears of events. Registration is assumed.",
  Events: "What is sent to registered receivers. Names, shape and signature are assumed.",
} as const;
export type Tag = keyof typeof TAGS;

export interface ErrorExample {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, string>>;
}

/** Examples by name, each with the value it shows. */
export type Examples = Readonly<Record<string, unknown>>;

/** A query with a note for each of its parameters. */
export function query<Schema extends z.ZodMiniObject>(
  schema: Schema,
  notes: NotesOf<Schema>,
): NonNullable<OperationDoc["query"]> {
  return { schema, notes: notes as Readonly<Record<string, Note>> };
}
