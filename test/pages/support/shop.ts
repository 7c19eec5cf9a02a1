import { createServer } from "node:http";
import { listening } from "../../support/servers.js";

/** Records the requests of customers who return from the checkout. */
export class Shop {
  readonly visits: URL[] = [];
  readonly url: string;
  /** Where all visitors are redirected. */
  forward: string | undefined;

  private constructor(url: string) {
    this.url = url;
  }

  static async open(): Promise<Shop> {
    const server = createServer((request, response) => {
      if (request.url === "/favicon.ico") return void response.writeHead(204).end();
      shop.visits.push(new URL(request.url!, shop.url));
      if (shop.forward !== undefined) return void response.writeHead(302, { location: shop.forward }).end();
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(`<!doctype html><title>Shop</title><h1>Back at the shop</h1>`);
    });
    const shop = new Shop(`http://127.0.0.1:${await listening(server)}`);
    return shop;
  }
}
