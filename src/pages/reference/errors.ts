import { escapeText, html, type Markup } from "../html.js";
import { inline } from "../markdown.js";
import {
  assumptionMark,
  type BodyDescription,
  type DocumentOperation,
  exampleOf,
  examplesOf,
} from "./schema-markup.js";

/** The errors of a status and code that several operations have. */
export interface SharedError {
  readonly status: string;
  readonly code: string;
  readonly errors: Map<string, BodyDescription>;
  /** Errors of more than half of the operations, which show only their code. */
  readonly usual: Set<string>;
}

/** Errors shown in full once; operations show their code, and the sentence of an unusual one. */
export function sharedErrors(operations: readonly DocumentOperation[]): SharedError[] {
  const shared = new Map<string, SharedError>();
  const counts = new Map<string, number>();
  for (const { responses } of operations)
    for (const [status, error] of Object.entries(responses)) {
      if (status === "200" || examplesOf(error).length === 0) continue;
      const text = JSON.stringify(error);
      const code = codeOf(error)!;
      const count = (counts.get(text) ?? 0) + 1;
      counts.set(text, count);
      if (count === 1) continue;
      const known = shared.get(code) ?? { status, code, errors: new Map(), usual: new Set() };
      known.errors.set(text, error);
      if (count > operations.length / 2) known.usual.add(text);
      shared.set(code, known);
    }
  return [...shared.values()].sort((a, b) => (a.status < b.status ? -1 : 1));
}

export function codeOf(error: BodyDescription): string | undefined {
  return (exampleOf(error) as { error: { code: string } } | undefined)?.error.code;
}

export function sentenceOf({ description = "" }: BodyDescription) {
  return inline(`${description.replace(/\.$/, "")}.`);
}

/** An error with its examples, without what is in `told`. */
export function errorPart(
  { description = "", content, ...texts }: BodyDescription,
  { told = new Set<string>(), link }: { told?: Set<string>; link?: Markup | undefined },
): Markup {
  const isNew = (text: string) => !told.has(text) && told.add(text);
  const reasons = description.split(/; or (?=the |there )/i).filter((reason) => isNew(reason.toLowerCase()));
  const examples = examplesOf({ content }).map((value) =>
    JSON.stringify(value, null, 1).replace(/\n */g, " "),
  );
  const mark = assumptionMark(texts);
  const sentence = reasons.join("; or ").replace(/^t/, "T");
  return html`<p>${link}${sentenceOf({ description: sentence })}</p>${mark && isNew(mark.text) && mark}${examples
    .filter(isNew)
    .map((text) => html`<pre>${escapeText(text)}</pre>`)}`;
}
