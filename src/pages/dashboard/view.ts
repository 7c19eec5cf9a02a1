import { SandboxError } from "../../core/schema/refusals.js";
import type { Markup } from "../html.js";
import type { Tone } from "./components.js";
import type { AnyListing } from "./lists.js";
import type { PageContext } from "./page-context.js";

/** Number beside a view in the menu, what it counts, and the filter that lists these. */
export type Count = readonly [
  count: number,
  noun: string,
  tone: Tone,
  filter?: Readonly<Record<string, string>>,
];

/** A page of the dashboard, a line of the table in views.ts. It renders a list or a record, and changes nothing. */
export interface View {
  readonly name: string;
  readonly title: string;
  readonly list: (context: PageContext) => Promise<Markup>;
  /** Section of the list that the skip link leads to; default: the whole view. */
  readonly listId?: string;
  /** Its list, which a search reads. */
  readonly listing?: (context: PageContext) => AnyListing | Promise<AnyListing>;
  /** Things that its search finds. Any other view has the search of the charges. */
  readonly searches?: string;
  /** Noun of a record for messages, and its page. An operation that does not know the record throws. */
  readonly record?: readonly [noun: string, render: (context: PageContext, id: string) => Promise<Markup>];
  readonly count?: (context: PageContext) => Promise<Count>;
}

/** The result of an operation; undefined if it does not know the record. */
export async function orUndefined<Found>(asked: Promise<Found>): Promise<Found | undefined> {
  return asked.catch((error) => {
    if (error instanceof SandboxError && error.code === "NOT_FOUND") return undefined;
    throw error;
  });
}
