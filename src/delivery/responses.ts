/** How much of a receiver's answer the log keeps. */
export const RESPONSE_KEPT_BYTES = 4_096;

/** How long a receiver asks us to wait: seconds or a date (of wall time); null when it does not say. */
export function retryAfterMs(header: string | null | undefined, wallMs: number): number | null {
  if (header === undefined || header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - wallMs);
}
