/**
 * Handlers of the dashboard, mounted by page-routes.ts. A request becomes a page context, which a view renders as
 * markup. A form runs one action, which calls the control API or the service, and redirects. Views never change state.
 */
import { gzipSync } from "node:zlib";
import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { namespaceNameSchema } from "../../core/schema/option-schemas.js";
import { refuse, SandboxError } from "../../core/schema/refusals.js";
import { iso } from "../../core/schema/time.js";
import { UserError } from "../../core/schema/user-error.js";
import { appendCookie, isCrossOrigin } from "../../server/http/access.js";
import { readBody } from "../../server/http/body.js";
import { acceptedEncoding } from "../../server/http/compression.js";
import { type Ask, askOf, type PageHost } from "../../server/http/page-host.js";
import { pageAssets } from "../assets.js";
import { html, type Markup } from "../html.js";
import { PageShell } from "../page-shell.js";
import { type ActionResult, runFormAction } from "./actions.js";
import { backLink } from "./components.js";
import { dashboardFrame, foundUrl, renderView, viewOf } from "./frame.js";
import { DASHBOARD_PATH, dashboardPath, linkTo, type Notice, type PageContext } from "./page-context.js";
import { VIEWS, viewNamed } from "./views.js";

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
export function serveDashboardFile({ nowMs }: PageHost, kind: "css" | "js"): Response {
  return SHELL.file(kind, nowMs());
}

/** `GET /_sandbox/dashboard/{namespace}/{view}/{id}`. Without a namespace: `default`; without a view: the first. */
export async function serveDashboardPage(host: PageHost, c: Context): Promise<Response> {
  const name = c.req.param("namespace") ?? c.req.query("namespace") ?? "default";
  const url = new URL(c.req.url);
  const context = await openContext(host, name, url, c);
  if (context instanceof SandboxError) return namespaceNotFound(host, c, name, context);
  if (url.searchParams.has("open")) return openFound(context);
  return respond({ ...context, notice: readNotice(c) }, c);
}

/** Redirects a search to its only match, else to the list of all. */
async function openFound(context: PageContext): Promise<Response> {
  const location = await foundUrl({ ...context, id: undefined });
  return new Response(null, { status: 302, headers: { location, "sandbox-now": iso(context.nowMs) } });
}

async function respond(context: PageContext, c: Context, status = 200): Promise<Response> {
  const asked = c.req.param("view") ?? context.view;
  const main = viewNamed(asked) && (await renderView(context));
  const body = await dashboardFrame(context, main ?? notFoundView(context, asked));
  const shown = main === undefined ? 404 : status;
  const response =
    c.req.header(PART_HEADER) === undefined
      ? fullPage(context, body, shown)
      : partOfPage(context, body, shown, c.req.header("accept-encoding"));
  if (context.notice !== undefined) {
    appendNotice(response.headers, undefined, context.publicUrl);
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
  const text = `<body data-namespace="${encodeURIComponent(namespace)}">${body.text}</body>`;
  const headers = { "content-type": "text/html; charset=utf-8", ...SHELL.headers(nowMs) };
  return acceptedEncoding(encodings, ["gzip"]) !== undefined
    ? new Response(gzipSync(text), { status, headers: { ...headers, "content-encoding": "gzip" } })
    : new Response(text, { status, headers });
}

function fullPage(context: PageContext, body: Markup, status: number): Response {
  const { id, namespace, nowMs, path } = context;
  const page = {
    title: `${id ?? viewOf(context).title} · ${namespace} · payments-sandbox`,
    head: RENDER_WHEN_COMPLETE,
    bodyAttributes: html` data-namespace="${namespace}"`,
    body,
  };
  return SHELL.respond(page, { status, nowMs, forms: "'self'", from: path });
}

/** Reads a request, and the state of its namespace; a SandboxError says why there is no such namespace. */
async function openContext(
  host: PageHost,
  namespace: string,
  url: URL,
  c: Context,
): Promise<PageContext | SandboxError> {
  // No header carries any name, such as one in another script.
  if (!namespaceNameSchema.safeParse(namespace).success)
    return new SandboxError(refuse("NOT_FOUND", `There is no namespace "${namespace}"`));
  const [, view = VIEWS[0]!.name, id] = url.pathname
    .slice(DASHBOARD_PATH.length + 1)
    .split("/")
    .map(decode);
  const query = new URLSearchParams(url.search);
  const mode = query.get("mode");
  // A form submitted with GET leaves `back` and `open` in the query.
  for (const name of ["mode", "namespace", "back", "open"]) query.delete(name);
  const client = host.client(namespace, "dashboard");
  const publicUrl = host.publicUrl();
  const ask = askOnce(askOf(client));
  const sandbox = await ask("getSandbox").catch((error) => {
    if (error instanceof SandboxError) return error;
    throw error;
  });
  if (sandbox instanceof SandboxError) return sandbox;
  const part = c.req.header(PART_HEADER);
  return {
    ask,
    client,
    sandbox,
    namespace,
    publicUrl,
    view: viewNamed(view)?.name ?? VIEWS[0]!.name,
    id,
    query,
    mode: mode === "live" || mode === "test" ? mode : undefined,
    nowMs: Date.parse(sandbox.clock.now),
    origin: publicUrl ?? url.origin,
    // The script keeps the page at its own address when a form is refused.
    path: part === undefined ? c.req.path : url.pathname,
    notice: undefined,
    heldKeys: (part ?? "").split(" ").slice(0, MAX_HELD_KEYS),
  };
}

/** Remembers the results of reads, which several parts of a page need. */
function askOnce(ask: Ask): Ask {
  const results = new Map<string, Promise<unknown>>();
  return (id, input) => {
    const key = `${id} ${JSON.stringify(input)}`;
    if (!results.has(key)) results.set(key, ask(id, input));
    return results.get(key) as ReturnType<typeof ask<typeof id>>;
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
export async function actOnDashboard(host: PageHost, c: Context): Promise<Response> {
  const form = await readForm(c.req.raw);
  const named = c.req.param("namespace");
  const namespace = named ?? form.get("namespace") ?? "default";
  const home =
    named === undefined
      ? `${DASHBOARD_PATH}?namespace=${encodeURIComponent(namespace)}`
      : dashboardPath(namespace);
  const backUrl = backUrlOf(form.get("back"), namespace) ?? home;
  const open = () => openContext(host, namespace, new URL(backUrl, c.req.url), c);
  const context = await open();
  if (context instanceof SandboxError) return namespaceNotFound(host, c, namespace, context);
  const showError = async (status: number, text: string) => {
    // An action may have changed what was read before it.
    const now = (await open()) as PageContext;
    return respond({ ...now, notice: { text, isBad: true }, submitted: form }, c, status);
  };
  if (isCrossOrigin(c.req.raw, host.publicUrl()))
    return showError(403, "That form was not sent from this page.");
  let result: ActionResult;
  try {
    result = await runFormAction({ ...context, ask: askOf(context.client) }, form);
  } catch (error) {
    if (error instanceof SandboxError || error instanceof UserError) return showError(409, error.message);
    throw error;
  }
  const { to = backUrl, ...notice } = result;
  const isPart = c.req.header(PART_HEADER) !== undefined;
  const headers = new Headers({
    [isPart ? "sandbox-location" : "location"]: linkTo(c.req, to),
    "sandbox-now": iso(host.nowMs()),
  });
  appendNotice(headers, notice, host.publicUrl());
  return new Response(null, { status: isPart ? 204 : 303, headers });
}

/** Reads form fields. An unreadable form has no fields and so no action. */
async function readForm(request: Request): Promise<URLSearchParams> {
  const raw = await readBody(request);
  return new URLSearchParams("text" in raw ? raw.text : "");
}

/** Returns the URL only for a dashboard page of this namespace, to prevent open redirects. */
function backUrlOf(url: string | null, namespace: string): string | undefined {
  if (url === null || !URL.canParse(url, "http://sandbox")) return undefined;
  const { pathname, search, host } = new URL(url, "http://sandbox");
  const home = dashboardPath(namespace);
  return host === "sandbox" && (pathname === home || pathname.startsWith(`${home}/`))
    ? `${pathname}${search}`
    : undefined;
}

function notFoundView(context: PageContext, asked: string): Markup {
  const view = viewNamed(asked);
  if (view === undefined) return html`<h1>There is no view “${asked}”</h1>`;
  const noun = view.record?.[0] ?? "page";
  return html`${backLink(context, view.title)}<h1>There is no ${noun} “${context.id}”</h1><p>It may have gone with a
reset of namespace ${context.namespace}.</p>`;
}

function namespaceNotFound(
  host: PageHost,
  c: Context,
  name: string,
  { code, message }: SandboxError,
): Response {
  const title = `There is no namespace “${name}”`;
  const why = code !== "NOT_FOUND" && html`<p>${message}</p>`;
  const all = linkTo(c.req, `${dashboardPath("default")}/namespace`);
  const body = html`<main class="alone"><h1>${title}</h1>${why}<p><a href="${all}">All namespaces</a></p></main>`;
  return SHELL.respond(
    { title, body },
    { status: 404, nowMs: host.nowMs(), forms: "'self'", from: c.req.path },
  );
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
  try {
    const { text, isBad, undo } = Object(JSON.parse(getCookie(c, COOKIE) ?? "")) as Record<string, unknown>;
    if (typeof text !== "string") return undefined;
    return { text, isBad: isBad === true, ...(typeof undo === "string" && { undo }) };
  } catch {
    return undefined;
  }
}
