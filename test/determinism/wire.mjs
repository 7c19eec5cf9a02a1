import { createHash } from "node:crypto";
import { Agent, createServer, request } from "node:http";

/** Fields that depend on wall time or survive a reset. */
const LEFT_OUT = [
  /("sent_at":)"[^"]*"/g,
  /("(?:duration_ms|p50_ms|p95_ms)":)\d+/g,
  /("wall_ms":)[\d.]+/g,
  /("webhook-timestamp":)"\d+"/g,
  /("(?:webhook|svix|stripe)-signature":)"[^"]*"/g,
  /("svix-timestamp":)"\d+"/g,
  /("version":\s*1,\s*"seq":\s*)\d+/g,
];
const LEFT_OUT_HEADERS = new Set([
  "date",
  "webhook-timestamp",
  "webhook-signature",
  "svix-timestamp",
  "svix-signature",
  "stripe-signature",
]);

/** Replaces ports of five digits by names of the same length. */
const PORT_NAMES = new Map();

function plain(text) {
  let out = text;
  for (const [port, name] of PORT_NAMES) out = out.replaceAll(`:${port}`, `:${name}`);
  return out;
}

function comparable(text) {
  return LEFT_OUT.reduce((out, pattern) => out.replace(pattern, '$1"left out"'), text);
}

function headerLines(rawHeaders, left) {
  const lines = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at].toLowerCase();
    if (!LEFT_OUT_HEADERS.has(name) && !left.has(name))
      lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  }
  return lines;
}

/** Formats a body and its headers for a transcript. */
function message(rawHeaders, body) {
  const kept = comparable(body);
  const left = new Set(kept === body ? [] : ["content-length"]);
  return plain([...headerLines(rawHeaders, left), kept].join("\n"));
}

/** Calls one server and records each response. */
export class Wire {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #url;
  #lines = [];

  constructor(url) {
    this.#url = url;
  }

  begin() {
    this.#lines = [];
  }

  note(text) {
    this.#lines.push(text);
  }

  get transcript() {
    return this.#lines;
  }

  /** Makes one call; returns undefined when the connection was cut. */
  async call(method, path, body, headers = {}) {
    const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
    const answer = await this.#send(method, path, text, {
      authorization: "Bearer sk_test_sandbox",
      ...(text === "" ? {} : { "content-type": "application/json" }),
      ...headers,
    });
    const said = `> ${method} ${path} ${text}`;
    if (answer === undefined) {
      this.note(plain(`${said}\n< cut`));
      return undefined;
    }
    this.note(`${plain(said)}\n< ${answer.status}\n${message(answer.rawHeaders, answer.text)}`);
    return (answer.type ?? "").includes("json") ? JSON.parse(answer.text) : answer.text;
  }

  #send(method, path, text, headers) {
    return new Promise((resolve, reject) => {
      const sent = request(
        new URL(path, this.#url),
        { method, agent: this.#agent, headers: { ...headers, "content-length": Buffer.byteLength(text) } },
        (response) => {
          const chunks = [];
          response.on("data", (chunk) => chunks.push(chunk));
          response.on("end", () =>
            resolve({
              status: response.statusCode,
              rawHeaders: response.rawHeaders,
              type: response.headers["content-type"],
              text: Buffer.concat(chunks).toString("utf8"),
            }),
          );
          response.on("error", () => resolve(undefined));
        },
      );
      // A fault cut the connection; any other error fails the run.
      sent.on("error", (error) =>
        ["ECONNRESET", "EPIPE"].includes(error.code) ? resolve(undefined) : reject(error),
      );
      sent.end(text);
    });
  }

  close() {
    this.#agent.destroy();
  }
}

/** Returns a number from 0 to 99 derived from the text. */
export function lot(text) {
  return createHash("sha256").update(text).digest().readUInt32BE(0) % 100;
}

/** A receiver whose responses do not depend on time. */
export class Receiver {
  #server;
  #got = new Map();
  #times = new Map();

  static async open(name, answerOf) {
    const receiver = new Receiver();
    receiver.#server = createServer((req, res) => {
      const chunks = [];
      req.on("data", (chunk) => chunks.push(chunk));
      req.on("end", () => receiver.#take(req, Buffer.concat(chunks).toString("utf8"), res, answerOf));
    });
    // A port of five digits keeps content-length constant.
    do {
      if (receiver.#server.listening) await new Promise((resolve) => receiver.#server.close(resolve));
      await new Promise((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    } while (receiver.#server.address().port < 10_000);
    PORT_NAMES.set(receiver.#server.address().port, name);
    return receiver;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/hooks`;
  }

  #take(req, body, res, answerOf) {
    const event = JSON.parse(body);
    const times = (this.#times.get(event.id) ?? 0) + 1;
    this.#times.set(event.id, times);
    const about = event.data.charge_id ?? event.data.withdrawal_id ?? event.type;
    const lines = this.#got.get(about) ?? [];
    this.#got.set(about, lines);
    lines.push(`${req.method} ${req.url}\n${message(req.rawHeaders, body)}`);
    const answer = answerOf(event, times);
    if (answer === "cut") req.socket.destroy();
    else res.writeHead(answer.status, answer.headers ?? {}).end(answer.body ?? "");
  }

  /** Groups deliveries by object: only their order within an object is defined. */
  told() {
    const all = [...this.#got].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#got = new Map();
    this.#times = new Map();
    return all.map(([about, lines]) => `${about}\n${lines.join("\n")}`).join("\n");
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
