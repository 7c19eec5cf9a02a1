import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { shippedControlDocument } from "../support/openapi-control.js";
import { operationsOf, shippedDocument, unescaped } from "../support/openapi-document.js";
import { run } from "../support/process-command.js";

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
  const commandOf = async (page: string, id: string) => {
    if (!pages.has(page)) pages.set(page, await (await fetch(url + page)).text());
    return unescaped(new RegExp(`<pre id="${id}-curl"[^>]*>([^<]*)</pre>`).exec(pages.get(page)!)![1]!);
  };
  const paste = async (command: string) => {
    const failing = command.replace(/^curl\b(?: -s)?/gm, "curl -sS -f");
    const options = { cwd, env: { ...process.env, no_proxy: "*" } };
    return await exec("sh", ["-e", "-c", failing], options);
  };
  /** Follows each line of advice: a command, or the example at an address. */
  const follow = async (advice: string) => {
    for (const line of advice.trim().split(/\n */)) {
      const [, args] = /^npx payments-sandbox (.*)$/.exec(line) ?? [];
      if (args !== undefined) {
        const { code, stderr } = await run(args.split(" "));
        expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
        continue;
      }
      const [, page, id, status = "200"] = /^http:\/\/[^/]+(\/\S*)#(\w+)(?: with status (\d+))?$/.exec(line)!;
      await paste((await commandOf(page!, id!)).replace('"status": 200', `"status": ${status}`));
    }
  };
  return async (page: string, id: string): Promise<string> => {
    const command = await commandOf(page, id);
    const first = await paste(command).catch(
      (failure: { code: number; stdout: string; stderr: string }) => failure,
    );
    if (!("code" in first)) return first.stdout;
    const [, advice] = /: no \w+(?: with \S+)?; first:\n(.*)$/s.exec(first.stderr) ?? [];
    expect(advice, `${command}\n${first.stderr}`).toBeTypeOf("string");
    await follow(advice!);
    return (await paste(command)).stdout;
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
