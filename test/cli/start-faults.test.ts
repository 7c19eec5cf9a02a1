import { createServer } from "node:http";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { Command } from "../support/process-command.js";
import { Client } from "../support/receiver-client.js";
import { freeUrl } from "../support/receiver-server.js";
import { startServer } from "../support/started.js";

it("start continues after its output was closed", async () => {
  const url = await freeUrl();
  const { command, ready, client } = await startServer(["--webhook-url", url]);
  command.hangUp();
  await client.ask("POST /_sandbox/events", { type: "webhook.test", data: {} });
  await client.ask("POST /_sandbox/wait", { for: "idle" });
  // Waits until the delayed delivery has arrived.
  const got = new Promise<void>((resolve) => {
    const app = createServer((_request, response) => {
      response.end();
      app.close();
      resolve();
    });
    app.listen(Number(new URL(url).port), "127.0.0.1");
  });
  await Promise.race([got, command.ended]);
  expect((await fetch(`${ready.url}/health`)).status).toBe(200);
  expect(await command.stop()).toMatchObject({ code: 0, signal: null });
});

it.each([["events", "--follow"], ["charges"]])(
  "%s %s stops without an error when head closes the pipe",
  async (...args) => {
    const { ready, client } = await startServer();
    const reader = new Command([...args, "--json", "--url", ready.url]);
    reader.hangUp();
    const isOver = reader.ended.then(() => true);
    // The command must first follow, then notice the closed pipe.
    for (let isEnded = false; !isEnded; ) {
      await client.ask("POST /_sandbox/events", { type: "webhook.test", data: {} });
      isEnded = await Promise.race([isOver, new Promise<false>((resolve) => setTimeout(resolve, 20, false))]);
    }
    expect(await reader.ended).toMatchObject({ code: 0, signal: null });
  },
);

/** SIGUSR2 triggers the fault. */
const onSignal = (fault: string) => ({
  NODE_OPTIONS: `--import ${encodeURI(`data:text/javascript,process.on("SIGUSR2",()=>{${fault}})`).replaceAll('"', "%22")}`,
});
const thrown = 'throw new TypeError("no\\nsuch thing")';
const rejected = 'Promise.reject(new TypeError("no\\nsuch thing"))';

it.each([thrown, rejected])("start exits with one line: %s", async (fault) => {
  const command = new Command(["start", "--json", "--port", "0"], { env: onSignal(fault) });
  await command.ready();
  const { code, stderr } = await command.stop("SIGUSR2");
  expect(stderr).toMatch(
    /^payments-sandbox: internal error, stopping: TypeError: no such thing.*\. The state was in memory and is lost\.\n$/,
  );
  expect(code).toBe(1);
});

it("start names the file of the saved state when it crashes", async () => {
  const data = join(temporaryFolder(), "d.json");
  const command = new Command(["start", "--json", "--port", "0", "--data", data], {
    env: onSignal(thrown),
  });
  const { url } = await command.ready();
  await Client.at(url).ask("POST /_sandbox/events", { type: "webhook.test", data: {} });
  const { code, stderr } = await command.stop("SIGUSR2");
  expect(stderr).toContain(`Every change that got a response is kept in ${data}.journal.\n`);
  expect(code).toBe(1);
  const again = new Command(["start", "--json", "--port", "0", "--data", data]);
  const events = await Client.at((await again.ready()).url).ask("GET /_sandbox/events");
  expect(events.json.total).toBe(1);
});
