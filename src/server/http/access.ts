import { timingSafeEqual } from "node:crypto";
import { refuse } from "../../core/schema/refusals.js";
import { relativeUrl } from "../../core/schema/text-format.js";
import { iso } from "../../core/schema/time.js";
import { errorReply, toResponse } from "./reply.js";

const LOCAL_HOST_NAMES = ["localhost", "host.docker.internal", "127.0.0.1", "::1"];

/** Allows requests to this server's names only, against DNS rebinding by other sites' pages. Ignores ports. */
export class HostGuard {
  readonly #names: ReadonlySet<string>;
  readonly #cache = new Map<string, boolean>();

  constructor(names: readonly string[]) {
    this.#names = new Set([...LOCAL_HOST_NAMES, ...names.map((name) => hostName(name))]);
  }

  allows(host: string | undefined): boolean {
    if (host === undefined) return false;
    let allowed = this.#cache.get(host);
    if (allowed === undefined) {
      const name = hostName(host);
      allowed = this.#names.has(name) || isLoopback(name);
      if (this.#cache.size < 1_000) this.#cache.set(host, allowed);
    }
    return allowed;
  }
}

export function hostRefusedResponse(host: string | undefined, nowMs: number): Response {
  return toResponse(
    errorReply(
      refuse(
        "FORBIDDEN",
        `This server does not serve the host ${JSON.stringify(host ?? "")}; see --allowed-host`,
      ),
      { "sandbox-hint": "Call the sandbox as localhost, or start it with --allowed-host NAME" },
    ),
    nowMs,
  );
}

/** The lower-case name or address of a Host header, without port and brackets. */
export function hostName(host: string): string {
  const text = host.trim().toLowerCase();
  const bracketed = /^\[([^\]]*)\](:\d*)?$/.exec(text);
  if (bracketed !== null) return bracketed[1]!;
  // A bare IPv6 address has more than one colon and no port.
  return (text.match(/:/g)?.length ?? 0) > 1 ? text : text.replace(/:\d*$/, "");
}

/** Normalizes an address: `0` is 0.0.0.0, `127.1` is 127.0.0.1, `0::0` is ::. Names stay as they are. */
export function normalizeAddress(host: string): string {
  const url = `http://${host.includes(":") ? `[${host}]` : host}`;
  return URL.canParse(url) ? hostName(new URL(url).hostname) : host;
}

/** Returns true for an address that stands for all addresses of the machine. */
export function isWildcardAddress(host: string): boolean {
  return ["0.0.0.0", "::", "::ffff:0:0"].includes(host);
}

/** Returns true for localhost, 127.0.0.0/8 and ::1. */
export function isLoopback(name: string): boolean {
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}

export const CROSS_ORIGIN_MESSAGE = "Calls from another site's pages are refused";

/**
 * Returns true if a page of another site sent the request. Browsers send Sec-Fetch-Site over HTTPS and to loopback
 * addresses. To other URLs, browsers send Origin. A request with neither header is not from a browser and is allowed.
 */
export function isCrossOrigin(request: Request, publicUrl: string | undefined): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin" && site !== "none";
  const origin = request.headers.get("origin");
  if (origin === null) return false;
  if (!URL.canParse(origin)) return true;
  const { host } = new URL(origin);
  return host !== new URL(request.url).host && (publicUrl === undefined || host !== new URL(publicUrl).host);
}

/** Returns true if another site's page loads the URL in a script, image or frame. Following a link is allowed. */
export function isCrossSiteSubresource(header: (name: string) => string | null): boolean {
  if (header("sec-fetch-site") !== "cross-site") return false;
  const destination = header("sec-fetch-dest") ?? "document";
  return header("sec-fetch-mode") !== "navigate" || destination !== "document";
}

/** Adds a cookie for a path of this server, and for that path below the public URL's, which a proxy strips. */
export function appendCookie(
  headers: Headers,
  pair: string,
  path: string,
  publicUrl: string | undefined,
  attributes = "",
): void {
  const prefix = publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");
  for (const one of new Set([path, prefix + path]))
    headers.append("set-cookie", `${pair}; Path=${one}${attributes}; HttpOnly; SameSite=Strict`);
}

const COOKIE = "sandbox_control_token";

/** Access to the control API of a server that listens at `host`: open, with the token, or closed. */
export function controlAccessMode(host: string, token: string | undefined): "open" | "token" | "closed" {
  if (token === "off" || isLoopback(normalizeAddress(host))) return "open";
  return token === undefined ? "closed" : "token";
}

/** Checks the control token, from a header or from the cookie that the dashboard's `?token=` sets. */
export class ControlAccess {
  readonly #token: string | undefined;
  readonly #publicUrl: string | undefined;

  /** @param token undefined closes the control API */
  constructor(token: string | undefined, publicUrl: string | undefined) {
    this.#token = token;
    this.#publicUrl = publicUrl;
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
    const headers = new Headers({
      location: relativeUrl(pathname, query === "" ? pathname : `${pathname}?${query}`),
      "sandbox-now": iso(nowMs),
      "cache-control": "no-store",
    });
    appendCookie(headers, `${COOKIE}=${encodeURIComponent(token)}`, "/_sandbox", this.#publicUrl);
    return new Response(null, { status: 303, headers });
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
