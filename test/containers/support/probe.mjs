// Sends the given requests in order and prints the responses.
import { request } from "node:http";

function send({ url, method = "GET", headers = {}, body }) {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: false }, async (incoming) => {
      const text = Buffer.concat(await incoming.toArray()).toString();
      resolve({ status: incoming.statusCode, headers: incoming.headers, text });
    });
    outgoing.on("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const answers = [];
for (const one of JSON.parse(process.argv[2])) answers.push(await send(one));
process.stdout.write(JSON.stringify(answers));
