import { expect, it } from "vitest";
import { fileWith } from "../support/scenario-run.js";
import { FLOW, openCorpus } from "./support.js";

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
}, 60_000);
