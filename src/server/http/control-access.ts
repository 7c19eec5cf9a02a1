import { timingSafeEqual } from "node:crypto";
import { iso } from "../../core/schema/time.js";
import { isLoopback, plainAddress } from "./hosts.js";

const COOKIE = "sandbox_control_token";

/** Whether anybody may use the control API of a server that listens there, whoever knows the token, or nobody. */
export function controlDoor(host: string, token: string | undefined): "open" | "token" | "closed" {
  if (token === "off" || isLoopback(plainAddress(host))) return "open";
  return token === undefined ? "closed" : "token";
}

/**
 * Who may use the control API of a server that others can reach: whoever knows the token, by header, or by the
 * cookie that the dashboard's `?token=` leaves behind.
 */
export class ControlAccess {
  readonly #token: string | undefined;

  /** @param token undefined: nobody may */
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

  /** The dashboard opened with `?token=`: a cookie takes its place, and the token leaves the address. */
  signIn(url: string, nowMs: number): Response | undefined {
    const { pathname, searchParams } = new URL(url);
    const given = searchParams.get("token");
    if (!/^\/_sandbox\/dashboard(\/|$)/.test(pathname) || given === null || !this.#isToken(given))
      return undefined;
    searchParams.delete("token");
    const query = searchParams.toString();
    return new Response(null, {
      status: 303,
      headers: {
        location: query === "" ? pathname : `${pathname}?${query}`,
        "set-cookie": `${COOKIE}=${encodeURIComponent(given)}; Path=/_sandbox; HttpOnly; SameSite=Strict`,
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
