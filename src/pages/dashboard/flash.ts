import type { Notice } from "./scene.js";

const COOKIE = "sandbox_said";

/** A cookie that carries what an action did to the page that follows; without a notice it goes. */
export function flashed(notice: Notice | undefined): string {
  const value = notice === undefined ? "" : encodeURIComponent(JSON.stringify(notice));
  const age = notice === undefined ? 0 : 10;
  return `${COOKIE}=${value}; Path=/_sandbox/dashboard; Max-Age=${age}; HttpOnly; SameSite=Strict`;
}

/** What an action has left to be said; whatever else is under the name is nothing. */
export function flashOf(cookies: string | undefined): Notice | undefined {
  const pair = (cookies ?? "").split(";").find((one) => one.trim().startsWith(`${COOKIE}=`));
  if (pair === undefined) return undefined;
  try {
    const { text, isBad, undo } = JSON.parse(
      decodeURIComponent(pair.trim().slice(COOKIE.length + 1)),
    ) as Record<string, unknown>;
    if (typeof text !== "string") return undefined;
    return {
      text,
      ...(isBad === true ? { isBad } : {}),
      ...(typeof undo === "string" ? { undo } : {}),
    };
  } catch {
    return undefined;
  }
}
