import * as z from "zod/mini";

export const SIGNATURE_PRESETS = ["standard", "none"] as const;
export const signatureSchema = z.enum(SIGNATURE_PRESETS);
export type Signature = z.infer<typeof signatureSchema>;
