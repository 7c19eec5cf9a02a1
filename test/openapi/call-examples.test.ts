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

/** Opens a sandbox and returns a function that runs an example in a shell, as a user would paste it. */
async function openShell() {
  const { url } = await (await openSandbox()).listen({ port: 0 });
  const cwd = temporaryFolder();
  const pages = new Map<string, string>();
  return async (page: string, id: string): Promise<string> => {
    if (!pages.has(page)) pages.set(page, await (await fetch(url + page)).text());
    const call = new RegExp(`<div class="snippet">((?:(?!</div>).)*<pre id="${id}-curl".*?)</div>`, "s");
    const parts = call.exec(pages.get(page)!)![1]!.matchAll(/<pre[^>]*>([^<]*)<\/pre>/g);
    const command = unescaped([...parts].map(([, part]) => part).join("\n\n"));
    // An interactive zsh runs pasted comments as commands.
    expect(command).not.toMatch(/^#/m);
    const failing = command.replace(/(^|\$\()curl\b(?: -s)?/gm, "$1curl -sS -f");
    const options = { cwd, env: { ...process.env, no_proxy: "*" } };
    return (await exec("sh", ["-e", "-c", failing], options)).stdout;
  };
}

describe.runIf(hasCurl)("examples of the API references", () => {
  it.each([...SERVICE!, ...CONTROL!])(
    "$page: $id runs as pasted on a fresh sandbox",
    async ({ page, id }) => {
      const shell = await openShell();
      expect(JSON.parse(await shell(page, id))).toBeTypeOf("object");
    },
  );

  it("run as pasted one after the other, and leave the key in use valid", async () => {
    const shell = await openShell();
    for (const { page, id } of [...SERVICE!, ...CONTROL!])
      expect([id, JSON.parse(await shell(page, id))]).toEqual([id, expect.any(Object)]);
    expect(JSON.parse(await shell("/docs", "getBalances"))).toHaveProperty("balances");
  });
});
