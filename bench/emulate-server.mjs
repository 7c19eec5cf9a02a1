// Starts emulate as a server of its own: `node bench/emulate-server.mjs API-FILE`.
import { createServer } from "node:net";
import { pathToFileURL } from "node:url";
import { sayReady } from "./bare-answers.mjs";

const { createEmulator } = await import(pathToFileURL(process.argv[2]).href);
const port = await freePort();
await createEmulator({ service: "stripe", port });
sayReady(port);

/** It takes no port 0. */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port: free } = server.address();
      server.close(() => resolve(free));
    });
  });
}
