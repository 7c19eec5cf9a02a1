import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { CHARGE_STATUSES, WITHDRAWAL_STATUSES } from "../../src/core/schema/common.js";
import { safeParse } from "../../src/core/schema/issues.js";
import { startOptionsSchema } from "../../src/core/schema/option-table.js";
import { scenarioSchema } from "../../src/core/schema/scenario-rules.js";
import { DEFAULT_SETTINGS } from "../../src/core/schema/settings.js";
import { SIGNATURE_SCHEMES, type SignatureScheme } from "../../src/core/schema/signature-schemes.js";
import { formatDuration } from "../../src/core/schema/time.js";

const page = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");

function rowsUnder(heading: string): string[][] {
  const [, section] = page.split(`\n## ${heading}\n`);
  return section!
    .split("\n## ")[0]!
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("|---"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

it("docs/webhooks.md names every type of event", () => {
  const [, types] = rowsUnder("What is sent").find(([name]) => name === "`type`")!;
  const said = [...types!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
  let kind = "";
  const full = said.map((name) => {
    if (name.startsWith(".")) return kind + name;
    kind = name.split(".")[0]!;
    return name;
  });
  const known = (of: string, statuses: readonly string[]) =>
    statuses.filter((status) => status !== "PENDING").map((status) => `${of}.${status.toLowerCase()}`);
  expect(full.sort()).toEqual(
    [...known("charge", CHARGE_STATUSES), ...known("withdrawal", WITHDRAWAL_STATUSES), "webhook.test"].sort(),
  );
});

it("docs/webhooks.md states the retry schedule", () => {
  const [, ladder] = /Retries\*\* come after ([^(]+) of sandbox time/.exec(page.replaceAll("\n", " "))!;
  const said = ladder!
    .split(/,| and | then /)
    .map((step) => step.trim())
    .filter((step) => step !== "");
  const steps = DEFAULT_SETTINGS.retry_schedule_ms.map((ms) =>
    formatDuration(ms)
      .replace(/(\d+)m$/, "$1 min")
      .replace(/(\d)([sh])$/, "$1 $2")
      .replace("1d", "24 h"),
  );
  expect(said).toEqual(steps);
});

it("docs/webhooks.md has a row for each signature preset", () => {
  const rows = rowsUnder("Other signatures");
  for (const [name, preset] of Object.entries(SIGNATURE_SCHEMES)) {
    const scheme: SignatureScheme = preset;
    const [, headers, signed, both] = rows.find(([first]) => first === `\`${name}\``)!;
    for (const [header, template] of Object.entries(scheme.headers))
      expect(headers).toMatch(new RegExp(`\`${header}(: ${template.startsWith("t=") ? "t=" : "v1,"}.*)?\``));
    if (name === "none") expect([headers, signed, both]).toEqual(["", "", ""]);
    else expect(both).toBe(scheme.signatureSeparator === null ? "the new one" : "both");
    if (scheme.algorithm === null || name === "svix") continue;
    expect(signed).toContain(scheme.payload === "body" ? "the body" : `\`${scheme.payload}\``);
    expect(signed).toContain(`HMAC-${scheme.algorithm.toUpperCase()}, ${scheme.encoding}`);
  }
});

it("docs/webhooks.md has a custom signature scheme that the config accepts", () => {
  const [, yaml] = /```yaml\n(signature:[\s\S]*?)```/.exec(page)!;
  for (const text of [yaml!, yaml!.replaceAll("# payload", "payload").replaceAll("# timestamp", "timestamp")])
    expect(safeParse(startOptionsSchema, parse(text))).toMatchObject({ ok: true });
});

it("docs/webhooks.md names only mishaps that scenarios accept", () => {
  const rules = rowsUnder("When things go wrong")
    .slice(1)
    .map(([, rule]) => rule!.replaceAll("`", ""));
  expect(rules).toHaveLength(12);
  for (const rule of rules)
    expect([rule, safeParse(scenarioSchema, { name: "a", webhooks: [parse(`{ ${rule} }`)] }).ok]).toEqual([
      rule,
      true,
    ]);
});
