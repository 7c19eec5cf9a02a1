// A process that stands in for the service: `node service.mjs NAME…` prints { NAME: { url, key } } and serves until its input ends.
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { createSandbox } from "../../../dist/index.js";
import { DISGUISES } from "./disguises.mjs";

/** Opens a proxy that changes what a sandbox answers and sends. */
async function disguise(sandbox, mutant) {
  const target = {};
  const answer = async (request, response) => {
    let text = Buffer.concat(await request.toArray()).toString();
    if (request.url === "/__hook") {
      let status = 204;
      for (const event of [mutant.hook(JSON.parse(text))].flat()) {
        const body = JSON.stringify(event);
        const id = event.id;
        const sent = await fetch(target.url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "webhook-id": id,
            "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
            "webhook-signature": new Webhook(target.secret).sign(id, new Date(), body),
          },
          body,
        });
        status = Math.max(status, sent.status);
      }
      return response.writeHead(status).end();
    }
    const parsed = parse(text);
    const refusal = mutant.refuse?.(parsed) ?? mutant.answer?.(request);
    if (refusal !== undefined) return send(response, 400, JSON.stringify(refusal));
    if (mutant.hook !== undefined && typeof parsed?.url === "string" && request.method === "POST") {
      target.url = parsed.url;
      text = JSON.stringify({ ...parsed, url: `http://127.0.0.1:${server.address().port}/__hook` });
    }
    const { authorization, "content-type": type, "idempotency-key": key } = request.headers;
    const headers = Object.fromEntries(
      Object.entries({ authorization, "content-type": type, "idempotency-key": key }).filter(
        ([, value]) => value !== undefined,
      ),
    );
    const answered = await fetch(sandbox.url + (mutant.url?.(request.url) ?? request.url), {
      method: request.method,
      headers,
      ...(text === "" ? {} : { body: text }),
    });
    const body = parse(await answered.text());
    if (typeof body?.secret === "string") target.secret = body.secret;
    const own = mutant.hook !== undefined && body?.url !== undefined ? { ...body, url: target.url } : body;
    const status = mutant.status?.(answered.status, request) ?? answered.status;
    const sent = mutant.headers?.(answered.headers, request) ?? answered.headers;
    send(response, status, JSON.stringify(mutant.body?.(own, request) ?? own), sent);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

const parse = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const KEPT =
  /^(content-type|allow|retry-after|ratelimit|ratelimit-policy|idempotent-replayed|idempotency-replayed|x-.*)$/;

function send(
  response,
  status,
  text,
  headers = new Headers({ "content-type": "application/json; charset=utf-8" }),
) {
  const kept = [...headers].filter(([name]) => KEPT.test(name));
  response.writeHead(status, Object.fromEntries(kept)).end(text);
}

const opened = {};
for (const [index, name] of process.argv.slice(2).entries()) {
  const [disguised] = name.split("#");
  const mutant = DISGUISES[disguised];
  const { scenario, config = {} } = mutant;
  const sandbox = await createSandbox({
    seed: `service ${index} ${name}`,
    rateLimit: 100,
    unreachable: "fail",
    ...(scenario === undefined
      ? {}
      : { scenario: fileURLToPath(new URL(`${scenario}.yaml`, import.meta.url)) }),
    ...config,
  });
  await sandbox.listen({ port: 0 });
  opened[name] = { url: await disguise(sandbox, mutant), key: sandbox.apiKey };
}
console.log(JSON.stringify(opened));
process.stdin.resume().on("end", () => process.exit(0));
