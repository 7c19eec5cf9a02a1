import type { Namespace } from "../../../../namespace/namespace.js";
import type { Namespaces } from "../../../../namespace/namespaces.js";
import { isRefusal, type Refusal } from "../../../../schema/errors.js";
import type { Notice } from "../scene.js";

export interface Doing {
  readonly namespaces: Namespaces;
  readonly namespace: Namespace;
  /** What stands behind the action's name. */
  readonly words: readonly string[];
  readonly form: URLSearchParams;
  /** Calls of this very server. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** What it did, in words; where to go, when that is elsewhere. */
export interface Done extends Notice {
  readonly to?: string;
}

export type Action = (doing: Doing) => Done | Refusal | Promise<Done | Refusal>;

/** Actions by their names. */
export type Actions = Readonly<Record<string, Action>>;

/** A result in words, or the refusal there is in its place. */
export function say<Result>(result: Result | Refusal, words: (result: Result) => string): Done | Refusal {
  return isRefusal(result) ? result : { text: words(result) };
}
