import * as z from "zod/mini";

export const namespaceNameSchema = z
  .string()
  .check(
    z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, "must be 1 to 63 letters, digits, dashes and underscores"),
  );
