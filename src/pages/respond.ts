import { type Document, shellPage } from "./layout.js";
import { SCRIPT } from "./script.js";
import { Shell } from "./shell.js";
import { STYLES } from "./styles.js";

/** The address of a page is all it takes to pay or cancel, so it is told to nobody. */
const SHELL = new Shell({ styles: STYLES, script: SCRIPT, connects: true, referrer: "same-origin" });

/**
 * @param leadsAway its forms may lead on to the shop. Browsers hold a form-action against every redirect that follows,
 *   so one that named the shop would still break shops that redirect once more, to another host or into an app
 */
export function pageResponse(
  document: Document,
  { status, nowMs, leadsAway = false }: { status: number; nowMs: number; leadsAway?: boolean },
): Response {
  return SHELL.answer(shellPage(document), { status, nowMs, forms: leadsAway ? undefined : "'self'" });
}

/** 303: whatever was sent, what follows is a GET. */
export function seeOther(location: string, nowMs: number): Response {
  return new Response(null, { status: 303, headers: { location, ...SHELL.headers(nowMs) } });
}

export function jsonResponse(value: unknown, status: number, nowMs: number): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...SHELL.headers(nowMs) },
  });
}
