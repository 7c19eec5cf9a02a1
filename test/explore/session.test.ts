import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { fileWith } from "../support/scenario-run.js";
import { listening } from "../support/servers.js";
import { FLOW, openCorpus, PRESSES, pressedApp } from "./support.js";

it.concurrent("resets the app before each run", async () => {
  const sandbox = await openSandbox();
  const resets: string[] = [];
  const server = createServer((request, response) => {
    if (request.url === "/reset") resets.push(request.method!);
    pressedApp()(request, response);
  });
  const { runs, notes } = await sandbox.explore(fileWith(`${PRESSES}reset:\n  - app: POST /reset\n`), {
    app: `http://127.0.0.1:${await listening(server)}`,
    lanes: 2,
    throws: false,
  });
  expect(notes).toContain("one lane: `reset` sets the app back before each");
  expect(resets.length).toBeGreaterThan(runs);
});

it.concurrent("reports each failure at its own step, also in an included file", async () => {
  const sandbox = await openSandbox();
  const app = `http://127.0.0.1:${await listening(createServer(pressedApp()))}`;
  const included = fileWith("name: healthy\nsteps:\n  - app: GET /health\n");
  const { findings } = await sandbox.explore(fileWith(`include: ${included}\n${PRESSES}`), {
    app,
    throws: false,
  });
  const twice = { oracle: "money", message: expect.stringMatching(/^done more than once/) };
  expect(findings).toMatchObject([twice, twice]);
});

it.concurrent("uses a variable of an included file and saves it", async () => {
  const sandbox = await openSandbox();
  const urls = new Set<string>();
  const shop = pressedApp();
  const app = createServer((request, response) => {
    urls.add(request.url!.replace(/-.*/, ""));
    shop(request, response);
  });
  const included = fileWith("name: someone\nvars: { who: nobody }\n");
  const flow = `include: ${included}\n${PRESSES.replaceAll("/orders/", `/orders/\${who}-`)}`;
  const { findings } = await sandbox.explore(fileWith(flow), {
    app: `http://127.0.0.1:${await listening(app)}`,
    throws: false,
    save: temporaryFolder(),
    vars: { who: "ada", unknown: "ignored" },
  });
  expect([...urls]).toEqual(["/orders/ada"]);
  expect(parse(readFileSync(findings[0]!.file!, "utf8")).vars).toEqual({ who: "ada" });
});

it.concurrent("restores and releases the sandbox after any interruption", async () => {
  const { sandbox, shop } = await openCorpus("right");
  const early = sandbox.explore(fileWith(FLOW), { app: shop.url, signal: AbortSignal.abort() });
  await expect(early).rejects.toThrow("interrupted before the app was seen to go right");
  await sandbox.control("PUT", "/_sandbox/clock", { mode: "100x" });
  const scenarios = async () => {
    const { items } = (await sandbox.control("GET", "/_sandbox/scenarios")) as { items: { name: string }[] };
    return items.map(({ name }) => name);
  };
  const before = await scenarios();
  const stop = new AbortController();
  const onRun = (runs: number) => void (runs === 2 && stop.abort());
  const report = await sandbox.explore(fileWith(FLOW), {
    app: shop.url,
    throws: false,
    signal: stop.signal,
    onRun,
  });
  expect(report).toMatchObject({ passed: false, complete_depth: 0, runs: 2, findings: [], notes: [] });
  const another = { method: "POST", headers: { "sandbox-run": "another" }, body: "{}" };
  expect((await sandbox.fetch("/_sandbox/lease", another)).status).toBe(200);
  expect(await scenarios()).toEqual(before);
  expect(await sandbox.control("GET", "/_sandbox/clock")).toMatchObject({ mode: "100x" });
});
