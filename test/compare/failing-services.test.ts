import { readdirSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { folderWith } from "../support/folders.js";
import { Command, run } from "../support/process-command.js";
import { listening } from "../support/servers.js";
import { startServices } from "./support/compared.js";

const KEY = "sk_test_of_somebody";
const CONFIG = "# mine\nfees: {}\n";

/** Runs `compare --write --record` in a folder with a config; returns the line of the error. */
async function refusal(url: string, ...more: string[]): Promise<string> {
  const cwd = folderWith({ "payments-sandbox.config.yaml": CONFIG });
  const args = ["compare", "--against", url, "--key", KEY, "--write", "--record", "recording.json", ...more];
  const { code, stdout, stderr } = await run(args, { cwd });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(readdirSync(cwd)).toEqual(["payments-sandbox.config.yaml"]);
  expect(stderr).toMatch(/^payments-sandbox: [^\n]+\n$/);
  expect(stderr).not.toContain(KEY);
  return stderr;
}

const ANSWERS: Readonly<Record<string, readonly [answer: RequestListener, says: string]>> = {
  "500": [
    (_call, answer) => void answer.writeHead(500).end("oops"),
    "the service failed (500 at listPaymentMethods",
  ],
  HTML: [
    (_call, answer) => void answer.writeHead(200, { "content-type": "text/html" }).end("<h1>hello</h1>"),
    "is not JSON",
  ],
  nothing: [(call) => void call.socket.destroy(), "did not respond to GET /api/v1/payments/payment-methods"],
  "no body": [(_call, answer) => void answer.writeHead(200).end(), "is not JSON"],
  late: [() => {}, "within 10 s"],
  "401": [
    ({ headers }, answer) => void answer.writeHead(headers.authorization ? 401 : 200).end('{"a":1}'),
    "refuses the key (401 at listPaymentMethods)",
  ],
  "429": [(_call, answer) => void answer.writeHead(429).end("{}"), "rate limit was reached at call 1"],
  redirect: [
    (_call, answer) => void answer.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    "redirects GET /api/v1/payments/payment-methods",
  ],
};

it.each(Object.keys(ANSWERS))(
  "a service that answers with %s ends compare with a sentence, and writes nothing",
  async (name) => {
    const [answer, says] = ANSWERS[name]!;
    const port = await listening(createServer(answer));
    expect(await refusal(`http://127.0.0.1:${port}`)).toContain(says);
  },
);

/** A proxy before a service, which answers a call itself if `fail` says so. */
async function proxied(fail: (call: IncomingMessage, count: number, answer: ServerResponse) => unknown) {
  const { identical } = await startServices(["identical"]);
  const { url, key } = identical!;
  let count = 0;
  const port = await listening(
    createServer(async (call, answer) => {
      if (fail(call, ++count, answer) === true) return;
      const { authorization } = call.headers;
      const headers = new Headers({ "content-type": "application/json" });
      if (authorization !== undefined) headers.set("authorization", `Bearer ${key}`);
      const body = Buffer.concat(await call.toArray()).toString();
      const got = await fetch(url + call.url, {
        method: call.method!,
        headers,
        ...(body === "" ? {} : { body }),
      });
      answer.writeHead(got.status, { "content-type": "application/json" }).end(await got.text());
    }),
  );
  const endpoints = async (): Promise<number> => {
    const answer = await fetch(`${url}/api/v1/webhooks`, { headers: { authorization: `Bearer ${key}` } });
    return ((await answer.json()) as { items: object[] }).items.length;
  };
  return { url: `http://127.0.0.1:${port}`, endpoints };
}

/** The webhook endpoint is registered at the eleventh call. */
const LATER = 30;

it.each([
  ["is away", true, "did not respond to", 1, / The webhook endpoint \w+ .* is left: remove it$/],
  ["answers 429", false, "rate limit was reached", 0, / is removed again$/],
] as const)(
  "a service that %s in the middle ends compare with a sentence, and its endpoint is removed or told",
  async (_, isCut, says, left, told) => {
    const { url, endpoints } = await proxied((call, count, answer) => {
      if (count <= LATER || (!isCut && call.method === "DELETE")) return false;
      if (isCut) call.socket.destroy();
      else answer.writeHead(429).end("{}");
      return true;
    });
    const said = await refusal(url);
    expect(said).toContain(says);
    expect(said.trimEnd()).toMatch(told);
    expect(await endpoints()).toBe(left);
  },
);

it("compare that is interrupted ends with a sentence, and removes its endpoint", async () => {
  let command: Command | undefined;
  const { url, endpoints } = await proxied((_call, count) => count === LATER && command!.signal("SIGTERM"));
  const cwd = folderWith({ "payments-sandbox.config.yaml": CONFIG });
  command = new Command(["compare", "--against", url, "--key", KEY, "--write", "--record", "a.json"], {
    cwd,
  });
  const { code, stderr } = await command.ended;
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      "payments-sandbox: it was interrupted. Nothing was written. The webhook endpoint that was registered there is removed again\n",
  });
  expect(readdirSync(cwd)).toEqual(["payments-sandbox.config.yaml"]);
  expect(await endpoints()).toBe(0);
});

it.each([
  [
    ["--against", "https://pay.example.test", "--key", "sk_live_of_somebody"],
    "must be a key of the test mode",
  ],
  [["--against", "https://pay.example.test"], "--key is missing"],
  [["--against", "https://a:b@pay.example.test", "--key", KEY], "without a password, query or fragment"],
  [["--against", "missing.json"], "there is no such file"],
  [
    ["--against", "https://pay.example.test", "--key", KEY, "--listen", "there"],
    "is not an http or https URL",
  ],
  [["--key", KEY], "--against"],
])("compare %j is refused with exit code 2", async (args, says) => {
  const { code, stderr } = await run(["compare", ...args], { cwd: folderWith({}) });
  expect(code).toBe(2);
  expect(stderr).toContain(says);
  expect(stderr).not.toMatch(/sk_(test|live)_of/);
});
