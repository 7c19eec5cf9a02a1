import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import type { ProbeRow, WebhookReport } from "../../src/core/schema/receiver-report.js";
import type { WallClock } from "../../src/core/time/wall-clock.js";
import { checkWebhook } from "../../src/tools/doctor/check.js";
import { type CheckWebhookOptions, readCheckOptions } from "../../src/tools/doctor/check-options.js";
import { closed, listening } from "../support/servers.js";
import { PassingWall } from "./passing-wall.js";

export interface Incoming {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
}
export interface Reply {
  readonly status: number;
  readonly text?: string;
  readonly headers?: Record<string, string>;
}
/** Handles a request; undefined sends no response. */
export type Respond = (incoming: Incoming) => Reply | undefined | Promise<Reply | undefined>;

// biome-ignore lint/suspicious/noExplicitAny: receivers read arbitrary JSON
export type Event = any;

const OK: Reply = { status: 200, text: "ok" };
const REFUSED: Reply = { status: 400, text: "bad signature" };
export const reply = (status: number, headers: Record<string, string> = {}): Reply => ({ status, headers });

const library = new Webhook(DEFAULT_WEBHOOK_SECRET);
const flat = (headers: IncomingHttpHeaders) => headers as Record<string, string>;

/** Verifies as documented by the official library. */
const verifies = ({ body, headers }: Incoming): void => {
  library.verify(body.toString(), flat(headers));
};

/** Parts of a correct receiver; tests replace one of them. */
export interface Parts {
  readonly verify?: (incoming: Incoming) => void;
  readonly refuse?: Respond;
  readonly handle?: (event: Event, incoming: Incoming) => Reply | undefined | Promise<Reply | undefined>;
}

/** Builds a correct receiver, except for the given parts. */
export function receiver({
  verify = verifies,
  refuse = () => REFUSED,
  handle = () => OK,
}: Parts = {}): Respond {
  return (incoming) => {
    try {
      verify(incoming);
    } catch {
      return refuse(incoming);
    }
    return handle(JSON.parse(incoming.body.toString()), incoming);
  };
}

export interface Running extends AsyncDisposable {
  readonly url: string;
  readonly count: number;
  close(): Promise<void>;
}

/** Serves a receiver on a free port. */
export async function serve(respond: Respond): Promise<Running> {
  let count = 0;
  const server = createServer(async (request, response) => {
    count++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url: path = "", headers } = request;
    const answer = await respond({ method, path, body: Buffer.concat(chunks), headers, response });
    if (answer !== undefined && !response.destroyed)
      response.writeHead(answer.status, answer.headers).end(answer.text ?? "");
  });
  const close = () => closed(server);
  return {
    url: `http://127.0.0.1:${await listening(server)}/webhooks`,
    get count() {
      return count;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export function checkAt(
  url: string,
  options: CheckWebhookOptions = {},
  more: {
    readonly wall?: WallClock;
    readonly onRow?: (row: ProbeRow) => void;
  } = {},
): Promise<WebhookReport> {
  const { wall = new PassingWall(), onRow } = more;
  return checkWebhook({ ...readCheckOptions(url, options, (option) => option), wall }, onRow);
}
