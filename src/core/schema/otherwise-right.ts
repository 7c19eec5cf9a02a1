import * as z from "zod/mini";

/** A check of what is right in all else: what is wrong already is not said twice. */
export function otherwiseRight<Value>(test: (value: Value) => boolean, error: string) {
  return z.refine<Value>(test, { error, when: ({ issues }) => issues.length === 0 });
}
