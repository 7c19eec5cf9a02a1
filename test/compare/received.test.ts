import { expect, it } from "vitest";
import { openApi } from "../support/api-client.js";
import { folderWith } from "../support/folders.js";
import { run } from "../support/process-command.js";
import { startServices } from "./support/compared.js";

/** Webhooks of a payment, as an app keeps them: a line of JSON each. */
async function keptLines(): Promise<string> {
  const api = await openApi({ clock: "manual", webhooks: [{ mailbox: "kept" }] });
  await api.pay();
  await api.sandbox.advance("1h");
  const lines: string[] = [];
  for (let taken = -1; taken !== 0; ) {
    const { items } = (await api.post("/_sandbox/mailboxes/kept/take", {})).json;
    taken = items.length;
    for (const { delivery_id, headers, body } of items) {
      lines.push(JSON.stringify({ headers, body }));
      await api.post(`/_sandbox/mailboxes/kept/${delivery_id}/ack`, { status: 200 });
    }
    await api.sandbox.settled();
  }
  return lines.join("\n");
}

it("compare says nothing of received webhooks of another payment, and finds a renamed field", async () => {
  const lines = await keptLines();
  expect(lines).toContain("charge.completed");
  const services = await startServices(["identical#1", "identical#2"]);
  const reports = [lines, lines.replaceAll("provider_reference", "reference_no")].map(async (text, index) => {
    const { url, key } = Object.values(services)[index]!;
    const cwd = folderWith({ "received.jsonl": text });
    const args = ["compare", "--against", url, "--key", key, "--received", "received.jsonl", "--json"];
    return JSON.parse((await run(args, { cwd })).stdout);
  });
  const [same, other] = await Promise.all(reports);
  expect(same).toMatchObject({ differences: [] });
  expect(same.left.join()).not.toContain("webhooks");
  const fields = other.differences.map(({ field, theirs }: Record<string, string>) => `${field}: ${theirs}`);
  expect(new Set(fields)).toEqual(new Set(["data.provider_reference: none"]));
});
