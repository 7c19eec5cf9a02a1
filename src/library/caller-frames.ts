/** The stack above the call of `method`, without the first line of a stack. */
// biome-ignore lint/complexity/noBannedTypes: Error.captureStackTrace takes any function
export function callerFrames(method: Function): string {
  const site: { stack?: string } = {};
  Error.captureStackTrace(site, method);
  return (site.stack ?? "").split("\n").slice(1).join("\n");
}
