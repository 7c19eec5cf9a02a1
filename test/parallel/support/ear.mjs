import { createServer } from "node:http";

/** Receives webhooks and keeps them in order. */
export class Ear {
  heard = [];
  #server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { headers, url } = request;
      this.heard.push({ url, headers, body: Buffer.concat(chunks).toString("utf8") });
      response.end("heard");
    });
  });

  static async open() {
    const ear = new Ear();
    await new Promise((resolve) => ear.#server.listen(0, "127.0.0.1", resolve));
    return ear;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  async close() {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }
}
