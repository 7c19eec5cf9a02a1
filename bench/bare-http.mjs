// The least a Node server can do: node:http, ready answers, no framework. The yardstick of start-up and memory.
import { createServer } from "node:http";
import { answers, sayReady } from "./bare-answers.mjs";

const { charge, payins, whitelabel } = answers();

function send(response, text) {
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

const server = createServer((request, response) => {
  if (request.method === "POST") {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString("utf8"));
      send(response, whitelabel);
    });
  } else if (request.url.startsWith("/api/v1/payments/charges/")) send(response, charge);
  else send(response, payins);
});

server.listen(0, "127.0.0.1", () => sayReady(server.address().port));
