/** Time left from which the checkout warns that it expires. */
export const SOON_MS = 5 * 60 * 1000;

/** `mm:ss` or `h:mm:ss`, rounded up, so that 00:00 means that the time is over. */
export function remainingTimeText(remainingMs: number): string {
  const seconds = Math.max(0, Math.ceil(remainingMs / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return seconds < 3600 ? rest : `${Math.floor(seconds / 3600)}:${rest}`;
}
