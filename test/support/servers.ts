import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "./lifetime.js";

/** Has the server listen, at a free port unless one is given, until the test is over; the port. */
export async function listening(server: Server, port = 0, host = "127.0.0.1"): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  atEnd(() => closed(server));
  return (server.address() as AddressInfo).port;
}

/** Closes the port and cuts all connections. */
export async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** A port without a listener. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
  await closed(server);
  return port;
}
