// The load generator's own process: takes one job at a time from its parent and answers with the figures. It has
// an event loop (and, where the machine allows, a core) of its own, so that it never waits for the server's work.
import { runLoad } from "./load.mjs";

let running;

process.on("message", async (message) => {
  if (message.requests !== undefined) {
    running?.replaceRequests(message.requests);
    return;
  }
  running = runLoad(message.job);
  try {
    process.send({ result: await running.result });
  } catch (error) {
    process.send({ error: error.message });
  }
});
process.on("disconnect", () => process.exit());
