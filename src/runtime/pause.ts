/** So much wall time passes; for the command line, which may wait for a server to come up. */
export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

export function wallNowMs(): number {
  return Date.now();
}
