import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A shop that takes back whoever comes from the checkout, and remembers how they came. */
export class Shop {
  readonly visits: URL[] = [];
  readonly #server: Server;
  /** Where it sends its visitors on to, if anywhere. */
  forward: string | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Shop> {
    const server = createServer((request, response) => {
      if (request.url === "/favicon.ico") return void response.writeHead(204).end();
      shop.visits.push(new URL(request.url!, shop.url));
      if (shop.forward !== undefined) return void response.writeHead(302, { location: shop.forward }).end();
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(`<!doctype html><title>Shop</title><h1>Back at the shop</h1>`);
    });
    const shop = new Shop(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return shop;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
