import type * as z from "zod/mini";
import type { Note } from "../../../schema/words.js";
import type { NotesOf } from "../component.js";
import type { Json } from "../json.js";
import type { Examples } from "../played.js";

export interface ErrorExample {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, string>>;
}

/** What the document says of a control call beyond its row in the table. */
export interface ControlDoc {
  readonly tag: ControlTag;
  readonly summary: string;
  readonly says: string;
  readonly query?: { readonly schema: z.ZodMiniObject; readonly notes: Readonly<Record<string, Note>> };
  /** Parameters whose names no schema can list. */
  readonly openQuery?: readonly Json[];
  readonly body?: { readonly component: string; readonly examples: Examples };
  readonly answer: { readonly component: string; readonly says: string; readonly examples: Examples };
  /** Refused while the clock is being advanced, unless it waits (contract section 1: time). */
  readonly waits?: true;
  /** What it answers 400 for besides what its schemas show. */
  readonly invalid?: Readonly<Record<string, ErrorExample>>;
  readonly forbidden?: Readonly<Record<string, ErrorExample>>;
  /** What it answers 404 for besides an unknown namespace. */
  readonly missing?: ErrorExample;
  readonly timeout?: ErrorExample;
  readonly crowded?: ErrorExample;
  readonly conflicts?: Readonly<Record<string, ErrorExample>>;
}

export const CONTROL_TAGS = {
  Sandbox: "What this server is, and back to the start.",
  Namespaces: "Namespaces side by side: each with its own state, keys, clock and logs.",
  State: "The whole state, out and in.",
  Clock: "Sandbox time.",
  Objects: "Charges, withdrawals, checkouts and balances of every organization and both modes.",
  Scenarios: "What happens to charges and withdrawals, and what goes wrong at the API.",
  Webhooks: "Events, deliveries and who they go to.",
  Insight: "What the app did, and what it has not met yet.",
} as const;
export type ControlTag = keyof typeof CONTROL_TAGS;

/** A query with a note for each of its parameters. */
export function query<Schema extends z.ZodMiniObject>(
  schema: Schema,
  notes: NotesOf<Schema>,
): NonNullable<ControlDoc["query"]> {
  return { schema, notes: notes as Readonly<Record<string, Note>> };
}

export function notFound(message: string): ErrorExample {
  return { code: "NOT_FOUND", message };
}

export function illegal(message: string): ErrorExample {
  return { code: "INVALID_TRANSITION", message };
}

export function faulty(details: Readonly<Record<string, string>>): ErrorExample {
  return { code: "VALIDATION_ERROR", message: "Invalid request parameters", details };
}

export const LIMIT = "How many to answer at most.";
export const OFFSET = "How many to skip.";
export const MODE = "Only those of this mode; both without it.";
