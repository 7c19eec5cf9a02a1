import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "./lifetime.js";

/** Starts the server until the end of the test, and returns its port. */
export async function listening(server: Server, port = 0, host = "127.0.0.1"): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  atEnd(() => closed(server));
  return (server.address() as AddressInfo).port;
}

/** Closes the server and all its connections. */
export async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Ports below those of outgoing connections; each worker begins elsewhere. */
let lastPort = 10_000 + ((process.pid * 97) % 20_000);

/** Returns a port that no other connection takes. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer();
    try {
      return await listening(server, ++lastPort);
    } catch {
      // The port is taken.
    } finally {
      await closed(server);
    }
  }
}
