import { createHash } from "node:crypto";
import { iso } from "../../schema/time.js";
import { type Document, renderDocument } from "./layout.js";
import { SCRIPT } from "./script.js";
import { STYLES } from "./styles.js";

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/**
 * Nothing is loaded, nothing runs but our own style sheet and script, nobody frames the page. There is no
 * form-action where a form may lead on to the shop: browsers hold it against every redirect that follows, so one
 * that named the shop would still break shops that redirect once more, to another host or into an app.
 */
const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLES)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");
const POLICY_AT_HOME = `${POLICY}; form-action 'self'`;

/** What every answer here carries; the address of a page is all it takes to pay or cancel, so it is told to nobody. */
function pageHeaders(nowMs: number): Record<string, string> {
  return {
    "sandbox-now": iso(nowMs),
    "cache-control": "no-store",
    // Not no-referrer: with that, browsers send our own forms with the origin "null".
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
  };
}

export function pageResponse(
  document: Document,
  { status, nowMs, leadsAway = false }: { status: number; nowMs: number; leadsAway?: boolean },
): Response {
  return new Response(renderDocument(document), {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": leadsAway ? POLICY : POLICY_AT_HOME,
      ...pageHeaders(nowMs),
    },
  });
}

/** 303: whatever was sent, what follows is a GET. */
export function seeOther(location: string, nowMs: number): Response {
  return new Response(null, { status: 303, headers: { location, ...pageHeaders(nowMs) } });
}

export function jsonResponse(value: unknown, status: number, nowMs: number): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...pageHeaders(nowMs) },
  });
}
