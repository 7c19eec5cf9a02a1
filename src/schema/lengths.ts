import * as z from "zod/mini";

/**
 * Zod's own length checks measure anything that has a `length`, the object `{"length": {}}` too, and stumble
 * when that is no number. These measure texts and lists only.
 */
export function minLength(minimum: number, message?: string) {
  return measuring(z.minLength(minimum, message));
}

export function maxLength(maximum: number, message?: string) {
  return measuring(z.maxLength(maximum, message));
}

function measuring<Check extends z.core.$ZodCheck<z.core.util.HasLength>>(check: Check): Check {
  check._zod.def.when = ({ value }) => typeof value === "string" || Array.isArray(value);
  return check;
}
