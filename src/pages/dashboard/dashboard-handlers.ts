/**
 * Handlers of the dashboard, mounted by page-routes.ts. A request becomes a page context, which a view renders as
 * markup. A form runs one action, which calls the control API or the service, and redirects. Views never change state.
 */
import { gzipSync } from "node:zlib";
import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { SandboxError } from "../../core/schema/refusals.js";
import { iso } from "../../core/schema/time.js";
import { UserError } from "../../core/schema/user-error.js";
import { appendCookie, isCrossOrigin } from "../../server/http/access.js";
import { readBody } from "../../server/http/body.js";
import { acceptedEncoding } from "../../server/http/compression.js";
import { unknownNamespaceReply } from "../../server/service/admit.js";
import { pageAssets } from "../assets.js";
import { html, type Markup } from "../html.js";
import { PageShell } from "../page-shell.js";
import { type ActionResult, runFormAction } from "./actions.js";
import { backLink } from "./components.js";
import { dashboardFrame, foundUrl, recordNoun, renderView } from "./frame.js";
import {
  DASHBOARD_PATH,
  dashboardPath,
  isViewName,
  linkTo,
  type Notice,
  type PageContext,
  VIEWS,
} from "./page-context.js";
import { namespacesSection } from "./views/namespace-view.js";

const SHELL = new PageShell({
  assets: pageAssets("dashboard"),
  connects: true,
  path: DASHBOARD_PATH,
  referrer: "same-origin",
});

/** Delays rendering until the page is complete. On slow machines, parts of an incomplete page would shift. */
const RENDER_WHEN_COMPLETE = html`<link rel="expect" href="#help" blocking="render">`;

/** Request header by which the script asks for the body element alone; its value names the rows of paused lists. */
const PART_HEADER = "sandbox-part";
const MAX_HELD_KEYS = 300;

/** `GET /_sandbox/dashboard.css` and `.js`. */
export function serveDashboardFile(namespaces: Namespaces, kind: "css" | "js"): Response {
  return SHELL.file(kind, namespaces.nowMs());
}

/** `GET /_sandbox/dashboard/{namespace}/{view}/{id}`. Without a namespace: `default`; without a view: `activity`. */
export function serveDashboardPage(namespaces: Namespaces, c: Context): Response {
  const name = c.req.param("namespace") ?? c.req.query("namespace") ?? null;
  const namespace = namespaces.find(name, null);
  if (namespace === undefined) return namespaceNotFound(namespaces, c, name);
  const url = new URL(c.req.url);
  if (url.searchParams.has("open")) return openFound(contextOf(namespaces, namespace, url, undefined, c));
  return respond(namespaces, namespace, c, url, 200, readNotice(c));
}

/** Redirects a search to its only match, else to the list of all. */
function openFound(context: PageContext): Response {
  context.namespace.runDueTasks();
  const location = foundUrl({ ...context, id: undefined });
  return new Response(null, { status: 302, headers: { location, "sandbox-now": iso(context.nowMs) } });
}

function respond(
  namespaces: Namespaces,
  namespace: Namespace,
  c: Context,
  url: URL,
  status: number,
  notice: Notice | undefined,
  submitted?: URLSearchParams,
): Response {
  const context = { ...contextOf(namespaces, namespace, url, notice, c), submitted };
  namespace.runDueTasks();
  const asked = c.req.param("view") ?? context.view;
  const main = isViewName(asked) ? renderView(context) : undefined;
  const body = dashboardFrame(context, main ?? notFoundView(context, asked));
  if (main === undefined) status = 404;
  const response =
    c.req.header(PART_HEADER) === undefined
      ? fullPage(context, body, status)
      : partOfPage(context, body, status, c.req.header("accept-encoding"));
  if (notice !== undefined) {
    appendNotice(response.headers, undefined, namespace.publicUrl);
    response.headers.set("vary", PART_HEADER);
  }
  return response;
}

/** The body element for the script, compressed: under load it is fetched each second. */
function partOfPage(
  { namespace, nowMs }: PageContext,
  body: Markup,
  status: number,
  encodings = "",
): Response {
  const text = `<body data-namespace="${encodeURIComponent(namespace.name)}">${body.text}</body>`;
  const headers = { "content-type": "text/html; charset=utf-8", ...SHELL.headers(nowMs) };
  return acceptedEncoding(encodings, ["gzip"]) !== undefined
    ? new Response(gzipSync(text), { status, headers: { ...headers, "content-encoding": "gzip" } })
    : new Response(text, { status, headers });
}

function fullPage({ view, id, namespace, nowMs, path }: PageContext, body: Markup, status: number): Response {
  const page = {
    title: `${id ?? VIEWS[view]} · ${namespace.name} · payments-sandbox`,
    head: RENDER_WHEN_COMPLETE,
    bodyAttributes: html` data-namespace="${namespace.name}"`,
    body,
  };
  return SHELL.respond(page, { status, nowMs, forms: "'self'", from: path });
}

function contextOf(
  namespaces: Namespaces,
  namespace: Namespace,
  url: URL,
  notice: Notice | undefined,
  c: Context,
): PageContext {
  const [, view = "activity", id] = url.pathname
    .slice(DASHBOARD_PATH.length + 1)
    .split("/")
    .map(decode);
  const query = new URLSearchParams(url.search);
  const mode = query.get("mode");
  query.delete("mode");
  query.delete("namespace");
  // A form submitted with GET leaves this parameter in the query.
  query.delete("back");
  query.delete("open");
  return {
    namespaces,
    namespace,
    view: isViewName(view) ? view : "activity",
    id,
    query,
    mode: mode === "live" || mode === "test" ? mode : undefined,
    nowMs: namespace.nowMs(),
    origin: namespace.publicUrl ?? url.origin,
    // The script keeps the page at its own address when a form is refused.
    path: c.req.header(PART_HEADER) === undefined ? c.req.path : url.pathname,
    notice,
    heldKeys: (c.req.header(PART_HEADER) ?? "").split(" ").slice(0, MAX_HELD_KEYS),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Runs an action, then redirects to its result or back to the page. */
export async function actOnDashboard(
  namespaces: Namespaces,
  fetch: (request: Request) => Promise<Response>,
  c: Context,
): Promise<Response> {
  const form = await readForm(c.req.raw);
  const name = c.req.param("namespace") ?? form.get("namespace");
  const namespace = namespaces.find(name, null);
  if (namespace === undefined) return namespaceNotFound(namespaces, c, name);
  const hasNoNamespace = c.req.param("namespace") === undefined;
  const home = hasNoNamespace
    ? `${DASHBOARD_PATH}?namespace=${encodeURIComponent(namespace.name)}`
    : dashboardPath(namespace.name);
  const backUrl = backUrlOf(form.get("back"), namespace) ?? home;
  const showError = (status: number, text: string) =>
    respond(namespaces, namespace, c, new URL(backUrl, c.req.url), status, { text, isBad: true }, form);
  if (isCrossOrigin(c.req.raw, namespace.publicUrl))
    return showError(403, "That form was not sent from this page.");
  let result: ActionResult;
  try {
    result = await runFormAction(namespace, form, fetch);
  } catch (error) {
    if (error instanceof SandboxError || error instanceof UserError) return showError(409, error.message);
    throw error;
  }
  const { to = backUrl, ...notice } = result;
  const isPart = c.req.header(PART_HEADER) !== undefined;
  const headers = new Headers({
    [isPart ? "sandbox-location" : "location"]: linkTo(c.req, to),
    "sandbox-now": iso(namespace.nowMs()),
  });
  appendNotice(headers, notice, namespace.publicUrl);
  return new Response(null, { status: isPart ? 204 : 303, headers });
}

/** Reads form fields. An unreadable form has no fields and so no action. */
async function readForm(request: Request): Promise<URLSearchParams> {
  const raw = await readBody(request);
  return new URLSearchParams("text" in raw ? raw.text : "");
}

/** Returns the URL only for a dashboard page of this namespace, to prevent open redirects. */
function backUrlOf(url: string | null, namespace: Namespace): string | undefined {
  if (url === null || !URL.canParse(url, "http://sandbox")) return undefined;
  const { pathname, search, host } = new URL(url, "http://sandbox");
  const home = dashboardPath(namespace.name);
  return host === "sandbox" && (pathname === home || pathname.startsWith(`${home}/`))
    ? `${pathname}${search}`
    : undefined;
}

function notFoundView(context: PageContext, view: string): Markup {
  if (!isViewName(view)) return html`<h1>There is no view “${view}”</h1>`;
  return html`${backLink(
    context,
    view,
  )}<h1>There is no ${recordNoun(view)} “${context.id}”</h1><p>It may have gone with a reset of namespace
${context.namespace.name}.</p>`;
}

/** The frame of the default namespace, with the namespaces there are. */
function namespaceNotFound(namespaces: Namespaces, c: Context, name: string | null): Response {
  const { error } = JSON.parse(unknownNamespaceReply(namespaces, name, null).json);
  const title = `There is no namespace “${name}”`;
  const why = error.code !== "NOT_FOUND" && html`<p>${error.message}</p>`;
  const namespace = namespaces.find(null, null);
  if (namespace === undefined) {
    const page = { title, body: html`<main class="alone"><h1>${title}</h1>${why}</main>` };
    return SHELL.respond(page, { status: 404, nowMs: namespaces.nowMs(), forms: "'self'", from: c.req.path });
  }
  const url = new URL(`${dashboardPath(namespace.name)}/namespace`, c.req.url);
  const context = contextOf(namespaces, namespace, url, undefined, c);
  const main = html`<h1>${title}</h1>${why}${namespacesSection(context)}`;
  return fullPage(context, dashboardFrame(context, main), 404);
}

const COOKIE = "sandbox_said";

/** Adds the cookie that carries a notice over the redirect; undefined deletes it. */
function appendNotice(headers: Headers, notice: Notice | undefined, publicUrl: string | undefined): void {
  const value = notice === undefined ? "" : encodeURIComponent(JSON.stringify(notice));
  const maxAge = `; Max-Age=${notice === undefined ? 0 : 10}`;
  appendCookie(headers, `${COOKIE}=${value}`, DASHBOARD_PATH, publicUrl, maxAge);
}

/** Reads the notice cookie; undefined if missing or malformed. */
function readNotice(c: Context): Notice | undefined {
  const cookie = getCookie(c, COOKIE);
  if (cookie === undefined) return undefined;
  try {
    const { text, isBad, undo } = JSON.parse(cookie) as Record<string, unknown>;
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
