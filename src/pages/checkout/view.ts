import type { Document } from "../layout.js";
import type { Page } from "../model.js";

/** A view makes the document for a page; the status is that of a plain look at it, without a form before. */
export type View = (page: Page) => { readonly document: Document; readonly status: number };
