import { createServer } from "node:http";
import type { ExploreFlowOptions, Sandbox } from "../../src/index.js";
import { openSandbox } from "../support/api-client.js";
import { fileWith } from "../support/scenario-run.js";
import { listening } from "../support/servers.js";

/** A body of JSON, as the apps of these tests take it. */
// biome-ignore lint/suspicious/noExplicitAny: the apps read what they need
type Json = any;

/** Calls the service as an app does; rejects with the status of an error. */
export type CallService = (method: string, path: string, body?: object, key?: string) => Promise<Json>;
/** Answers a call, such as `POST /orders`. */
export type Answer = (call: string, body: Json) => Promise<readonly [status: number, body?: unknown]>;

/** A sandbox, and an app of the test that calls it and receives its webhooks. */
export async function openApp(appOf: (call: CallService) => Answer, webhooks = "/webhooks") {
  const sandbox = await openSandbox();
  const { url: base } = await sandbox.listen();
  const answer = appOf(async (method, path, body, key) => {
    const response = await fetch(`${base}/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${sandbox.apiKey}`,
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  });
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const [status, body = {}] = await answer(
      `${request.method} ${request.url}`,
      text && JSON.parse(text),
    ).catch((error: Error) => [503, { error: error.message }] as const);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const app = `http://127.0.0.1:${await listening(server)}`;
  await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: `${app}${webhooks}` });
  return { sandbox, app };
}

/** The deviations by which an app of the test is found to be wrong, each with its oracle. */
export async function foundIn(
  { sandbox, app }: { readonly sandbox: Sandbox; readonly app: string },
  flow: string,
  options: Partial<ExploreFlowOptions> = {},
) {
  const report = await sandbox.explore(fileWith(flow), { app, depth: 1, ...options });
  const found = report.findings.map(
    ({ oracle, deviations }) => `${oracle}: ${deviations.map(({ kind, at }) => `${kind} ${at}`).join(" + ")}`,
  );
  return { report, found };
}
