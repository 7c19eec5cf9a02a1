import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { SandboxOptions } from "../../src/library/index.js";
import { temporaryFolder } from "../support/folders.js";
import { withChecksum } from "../support/kept.js";
import { closeAll } from "../support/lifetime.js";
import { openShop } from "../support/receiver-client.js";

async function server(options: SandboxOptions = {}) {
  const { sandbox, client } = await openShop(options);
  const call = (line: string, body?: unknown, namespace?: string) => client.in(namespace).ask(line, body);
  return { sandbox, call };
}

/** Returns all files in a folder with their contents. */
function treeOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [file, readFileSync(file, "utf8")]),
  );
}

it("a snapshot name that contains a path is answered with 404 and changes no file", async () => {
  const top = temporaryFolder();
  mkdirSync(join(top, "data"));
  writeFileSync(join(top, "package.json"), "{}");
  const { call } = await server({ data: join(top, "data", "d.json") });
  expect((await call("POST /_sandbox/snapshots", { name: "one" })).status).toBe(200);
  const before = treeOf(top);
  const dots = fc.constantFrom(
    "..",
    ".",
    "package",
    "d",
    "one",
    "d.json",
    "/",
    "\\",
    "\0",
    "%",
    "a".repeat(300),
  );
  const names = fc.oneof(
    fc.array(dots, { minLength: 1 }).map((parts) => parts.join("/")),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(names, async (name) => {
      fc.pre(name !== "one" && name !== "" && name !== "." && name !== "..");
      const path = `/_sandbox/snapshots/${encodeURIComponent(name)}`;
      expect((await call(`DELETE ${path}`)).status).toBe(404);
      expect((await call(`POST ${path}/restore`)).status).toBe(404);
    }),
    { examples: [["../../package"], ["../d"], ["\0"], ["a".repeat(300)]] },
  );
  expect(treeOf(top)).toEqual(before);
});

it("a snapshot is named by its file, not by the name inside", async () => {
  const top = temporaryFolder();
  const data = join(top, "d.json");
  const first = await server({ data });
  await first.call("POST /_sandbox/snapshots", { name: "one" });
  await first.sandbox.close();
  const folder = `${data}.snapshots`;
  const { checksum: _checksum, ...one } = JSON.parse(readFileSync(join(folder, "one.json"), "utf8"));
  writeFileSync(join(folder, "two.json"), withChecksum({ ...one, name: "../../victim" }));
  renameSync(join(folder, "one.json"), join(folder, "not a name.json"));
  writeFileSync(join(top, "victim.json"), "{}");

  const { call } = await server({ data });
  const { items } = (await call("GET /_sandbox/snapshots")).json;
  expect(items.map((one: { name: string }) => one.name)).toEqual(["two"]);
  expect((await call("DELETE /_sandbox/snapshots/two")).status).toBe(200);
  expect(readdirSync(top)).toContain("victim.json");
  expect(readdirSync(folder)).toEqual(["not a name.json"]);
});

const namespaces = async (call: Awaited<ReturnType<typeof server>>["call"]) =>
  (await call("GET /_sandbox/namespaces")).json.items.map((one: { name: string }) => one.name).sort();

it("removes incomplete files of a killed process", async () => {
  const data = join(temporaryFolder(), "d.json");
  const first = await server({ data });
  await first.call("PUT /_sandbox/namespaces/w1", {});
  await first.sandbox.close();
  const whole = readFileSync(`${data}.ns-w1`, "utf8");
  const before = readdirSync(join(data, "..")).sort();
  for (const [file, content] of [
    ["d.json.ns-w1.tmp", ""],
    ["d.json.ns-w2.tmp", whole],
    ["d.json.ns-w3.tmp", whole.slice(0, -20)],
    ["d.json.ns-w1.lock.4711", "4711\n"],
    ["d.json.tmp", ""],
    ["d.json.lock.17", "17\n"],
  ] as const)
    writeFileSync(join(data, "..", file), content);

  const { call } = await server({ data });
  expect(await namespaces(call)).toEqual(["default", "w1"]);
  await call("POST /_sandbox/reset", {}, "w1");
  await closeAll();
  expect(readdirSync(join(data, "..")).sort()).toEqual(before);
});

it("leaves files of other programs unchanged", async () => {
  const folder = temporaryFolder();
  const data = join(folder, "d.json");
  const first = await server({ data });
  await first.call("PUT /_sandbox/namespaces/w1", {});
  await first.sandbox.close();
  const whole = readFileSync(`${data}.ns-w1`, "utf8");
  const ours = new Set(readdirSync(folder));
  // Any name that this program does not use.
  const part = fc.constantFrom(
    ...[
      "d.json",
      ".ns-",
      "w1",
      "default",
      ".bak",
      ".tmp",
      ".journal",
      ".identity",
      ".lock",
      "12",
      "-",
      " ",
      "x",
    ],
  );
  const theirs = fc
    .array(part, { minLength: 1, maxLength: 5 })
    .map((parts) => parts.join(""))
    .filter((file) => !ours.has(file))
    .filter((file) => !/^d\.json(\.ns-[\w-]*)?(\.tmp|\.journal|\.identity|\.lock(\.\d+)?)?$/.test(file));

  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(theirs, { minLength: 1, maxLength: 8 }), async (files) => {
      for (const file of files) writeFileSync(join(folder, file), whole);
      const { call } = await server({ data });
      expect(await namespaces(call)).toEqual(["default", "w1"]);
      await closeAll();
      for (const file of files) expect(readFileSync(join(folder, file), "utf8")).toBe(whole);
      for (const file of files) rmSync(join(folder, file));
    }),
    { examples: [[["d.json.ns-w1.bak"]], [["d.json.ns-w1.tmp.bak", "d.json.ns--"]]], numRuns: 50 },
  );
});

it("a file cannot replace the default namespace", async () => {
  const data = join(temporaryFolder(), "d.json");
  const first = await server({ data });
  await first.call("PUT /_sandbox/namespaces/w1", {});
  await first.call("POST /_sandbox/reset", {});
  await first.sandbox.close();
  copyFileSync(`${data}.ns-w1`, `${data}.ns-default`);
  const { call } = await server({ data });
  expect(await namespaces(call)).toEqual(["default", "w1"]);
  expect((await call("GET /_sandbox")).json.seed).toBe(first.sandbox.seed);
  expect((await call("GET /_sandbox/namespaces/default")).json.api_key).toBe("sk_test_sandbox");
});
