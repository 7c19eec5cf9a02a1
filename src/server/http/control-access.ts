import { timingSafeEqual } from "node:crypto";
import { iso } from "../../core/schema/time.js";
import { isLoopback, normalizeAddress } from "./hosts.js";

const COOKIE = "sandbox_control_token";

/** Access to the control API of a server that listens at `host`: open, with the token, or closed. */
export function controlAccessMode(host: string, token: string | undefined): "open" | "token" | "closed" {
  if (token === "off" || isLoopback(normalizeAddress(host))) return "open";
  return token === undefined ? "closed" : "token";
}

/** Checks the control token, from a header or from the cookie that the dashboard's `?token=` sets. */
export class ControlAccess {
  readonly #token: string | undefined;

  /** @param token undefined closes the control API */
  constructor(token: string | undefined) {
    this.#token = token;
  }

  get isClosed(): boolean {
    return this.#token === undefined;
  }

  allows(header: string | string[] | undefined, cookies: string | undefined): boolean {
    if (typeof header === "string" && this.#isToken(header)) return true;
    return (cookies ?? "").split(";").some((pair) => {
      const [name, value = ""] = pair.trim().split("=");
      return name === COOKIE && this.#isToken(decodeURIComponentOr(value));
    });
  }

  /** Moves a valid `?token=` of a dashboard URL into a cookie, by a redirect. Returns undefined for other requests. */
  signIn(url: string, nowMs: number): Response | undefined {
    const { pathname, searchParams } = new URL(url);
    const token = searchParams.get("token");
    if (!/^\/_sandbox\/dashboard(\/|$)/.test(pathname) || token === null || !this.#isToken(token))
      return undefined;
    searchParams.delete("token");
    const query = searchParams.toString();
    return new Response(null, {
      status: 303,
      headers: {
        location: query === "" ? pathname : `${pathname}?${query}`,
        "set-cookie": `${COOKIE}=${encodeURIComponent(token)}; Path=/_sandbox; HttpOnly; SameSite=Strict`,
        "sandbox-now": iso(nowMs),
        "cache-control": "no-store",
      },
    });
  }

  #isToken(text: string): boolean {
    if (this.#token === undefined) return false;
    const [a, b] = [Buffer.from(text), Buffer.from(this.#token)];
    return a.length === b.length && timingSafeEqual(a, b);
  }
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
