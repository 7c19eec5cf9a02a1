import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { shippedControlDocument } from "../support/openapi-control.js";
import { operationsOf, shippedDocument, unescaped } from "../support/openapi-document.js";

const exec = promisify(execFile);
const hasCurl = await exec("curl", ["--version"]).then(
  () => true,
  () => false,
);

const EXAMPLES = Object.entries({ "/docs": shippedDocument, "/_sandbox/docs": shippedControlDocument });
const [SERVICE, CONTROL] = await Promise.all(
  EXAMPLES.map(async ([page, documentOf]) =>
    operationsOf(await documentOf())
      .map(({ operation }) => ({ page, id: String(operation.operationId) }))
      // The stream never ends.
      .filter(({ id }) => id !== "followStream"),
  ),
);

/** Opens a sandbox and returns its pages, and a function that runs a snippet in a shell, as a user would paste it. */
async function openShell(options?: Parameters<typeof openSandbox>[0]) {
  const { url } = await (await openSandbox(options)).listen({ port: 0 });
  const cwd = temporaryFolder();
  const pages = new Map<string, string>();
  const textOf = async (page: string): Promise<string> => {
    if (!pages.has(page)) pages.set(page, await (await fetch(url + page)).text());
    return pages.get(page)!;
  };
  const run = async (snippet: string): Promise<string> => {
    const parts = snippet.matchAll(/<pre[^>]*>([^<]*)<\/pre>/g);
    const command = unescaped([...parts].map(([, part]) => part).join("\n\n"));
    // An interactive zsh runs pasted comments as commands.
    expect(command).not.toMatch(/^#/m);
    const failing = command.replace(/(^|\$\()curl\b(?: -s)?/gm, "$1curl -sS -f");
    const env = { ...process.env, no_proxy: "*" };
    return (await exec("sh", ["-e", "-c", failing], { cwd, env })).stdout;
  };
  const runExample = async (page: string, id: string) => {
    const call = new RegExp(`<div class="snippet">((?:(?!</div>).)*<pre id="${id}-curl".*?)</div>`, "s");
    return await run(call.exec(await textOf(page))![1]!);
  };
  return { run, runExample, textOf, url };
}

describe.runIf(hasCurl)("examples of the API references", () => {
  it.each([...SERVICE!, ...CONTROL!])(
    "$page: $id runs as pasted on a fresh sandbox",
    async ({ page, id }) => {
      const { runExample } = await openShell();
      expect(JSON.parse(await runExample(page, id))).toBeTypeOf("object");
    },
  );

  it("run as pasted one after the other, and leave the key in use valid", async () => {
    const { runExample } = await openShell();
    for (const { page, id } of [...SERVICE!, ...CONTROL!])
      expect([id, JSON.parse(await runExample(page, id))]).toEqual([id, expect.any(Object)]);
    expect(JSON.parse(await runExample("/docs", "getBalances"))).toHaveProperty("balances");
  });

  it("a call does not run without the id that the call before it failed to get", async () => {
    const { runExample, url } = await openShell();
    const fault = { match: { operation: "createCheckout" }, respond: { status: 503 } };
    const headers = { "content-type": "application/json" };
    await fetch(`${url}/_sandbox/faults`, { method: "POST", headers, body: JSON.stringify(fault) });
    await expect(runExample("/docs", "getCharge")).rejects.toThrow(/503.*CHARGE_ID/s);
  });

  it.each(["manual", "real"] as const)(
    "the calls that /docs begins with end in a completed charge: %s clock",
    async (clock) => {
      const { run, textOf } = await openShell({ clock });
      const [intro] = (await textOf("/docs")).split("<section");
      const snippets = intro!.split('<div class="snippet">').slice(1);
      const isManual = clock === "manual";
      expect(snippets.map((snippet) => /^<h2>(.*?)</.exec(snippet)![1])).toEqual([
        "First call",
        ...(isManual ? ["Advance the clock"] : []),
        "Read it",
      ]);
      expect(intro).toMatch(
        /First \(Copy includes it\): create a quote<.* until it has <a href="#schema-ChargeStatus">/s,
      );
      const read = snippets.pop()!;
      expect(read).toContain(`/payins?limit=1"`);
      for (const snippet of snippets) await run(snippet);
      const statuses = async () =>
        JSON.parse(await run(read)).items.map(({ status }: { status: string }) => status);
      await expect.poll(statuses, { timeout: isManual ? 0 : 20_000 }).toEqual(["COMPLETED"]);
    },
    30_000,
  );
});
