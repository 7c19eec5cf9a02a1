import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import type { ExploreFlowOptions } from "../../src/index.js";
import { temporaryFolder } from "../support/folders.js";
import { fileWith } from "../support/scenario-run.js";
import { FLOW, openCorpus } from "./support.js";

it("says why no app went right when it is interrupted before, and tells what was found by then afterwards", async () => {
  const { sandbox, shop } = await openCorpus("right");
  const explore = (options: Partial<ExploreFlowOptions>) =>
    sandbox.explore(fileWith(FLOW), { app: shop.url, ...options });
  await expect(explore({ signal: AbortSignal.abort() })).rejects.toThrow(
    "interrupted before the app was seen to go right",
  );
  const stop = new AbortController();
  const report = await explore({ signal: stop.signal, onRun: (runs) => void (runs === 3 && stop.abort()) });
  expect(report).toMatchObject({ passed: false, complete_depth: 0, runs: 3, findings: [], notes: [] });
});

it("sets the app back before each run, one after the other, and in what it saves", async () => {
  const { sandbox, shop } = await openCorpus("races");
  const save = temporaryFolder();
  const flow = `${FLOW}reset:\n  - { name: Begin, app: POST /tick }\n`;
  const stop = new AbortController();
  const { findings, notes } = await sandbox.explore(fileWith(flow), {
    app: shop.url,
    lanes: 2,
    save,
    signal: stop.signal,
    onRun: (_runs, found) => void (found > 0 && stop.abort()),
  });
  expect(notes).toEqual(["one lane: `reset` sets the app back before each"]);
  expect(parse(readFileSync(findings[0]!.file!, "utf8")).steps[0].steps[0]).toEqual({
    name: "Begin",
    app: "POST /tick",
  });
});

it("leaves the sandbox as it was, and holds it meanwhile", async () => {
  const { sandbox, shop } = await openCorpus("right");
  await sandbox.control("PUT", "/_sandbox/clock", { mode: "100x" });
  const scenarios = async () => {
    const { items } = (await sandbox.control("GET", "/_sandbox/scenarios")) as { items: { name: string }[] };
    return items.map(({ name }) => name);
  };
  const before = await scenarios();
  const stop = new AbortController();
  const meanwhile: Promise<number>[] = [];
  const take = () =>
    sandbox.fetch("/_sandbox/lease", { method: "POST", headers: { "sandbox-run": "another" }, body: "{}" });
  await sandbox.explore(fileWith(FLOW), {
    app: shop.url,
    signal: stop.signal,
    onRun: (runs) => {
      if (runs === 2) stop.abort();
      meanwhile.push(take().then(({ status }) => status));
    },
  });
  expect(await Promise.all(meanwhile)).toEqual([409, 409]);
  expect((await take()).status).toBe(200);
  expect(await scenarios()).toEqual(before);
  expect(await sandbox.control("GET", "/_sandbox/clock")).toMatchObject({ mode: "100x" });
});
