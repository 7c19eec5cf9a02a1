import { afterEach, describe, expect, it, vi } from "vitest";
import { tableFormatter } from "../../src/cli/client/output.js";
import { tableLines } from "../../src/cli/table.js";
import { changeUnpaintedParts, paint } from "../../src/cli/text-layout.js";
import { LIST_COLUMNS } from "../../src/core/reports/list-columns.js";
import { OPERATIONS } from "../../src/server/service/operations.js";
import { openSandbox } from "../support/api-client.js";
import { closedAtEnd } from "../support/lifetime.js";
import { run } from "../support/process-command.js";
import { offTerminal, onTerminal } from "../support/standard-output.js";

const { charges: CHARGES } = LIST_COLUMNS;
const LONG_EMAIL = `${"a".repeat(300)}@x.test`;
const ANSWER = {
  total: 39,
  items: [
    ["ch_2ea485811b000000000015e5", "PENDING", "512.50", "KES", "mobile_money", "grace.hopper@example.com"],
    ["ch_6615589c30000000000a9a97", "FAILED", "1268750.00", "NGN", "bank_transfer", LONG_EMAIL],
    ["ch_22179d8191000000000021cc", "COMPLETED", "512.50", "KES", "card", "ada@shop.test"],
  ].map(([charge_id, status, amount, currency, payment_method, customer_email], place) => ({
    charge_id,
    status,
    amount,
    currency,
    payment_method,
    customer_email,
    created_at: `2026-03-01T11:0${place}:50.123Z`,
  })),
};

afterEach(offTerminal);

function plainTerminal(columns: number): void {
  for (const name of ["NO_COLOR", "FORCE_COLOR", "TERM"]) vi.stubEnv(name, undefined);
  onTerminal(columns);
}

const unpainted = (text: string): string => {
  const parts: string[] = [];
  changeUnpaintedParts(text, (part) => parts[parts.push(part) - 1]!);
  return parts.join("");
};

describe("a table", () => {
  it.each([80, 100, 200])("fits a terminal of %d columns, and uses them", (columns) => {
    plainTerminal(columns);
    const lines = unpainted(tableFormatter(CHARGES)(ANSWER)).trimEnd().split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBe(columns);
    expect(lines.at(-1)).toBe("3 of 39");
    const id = columns > 100 ? "ch_2ea485811b000000000015e5" : "ch_2ea48581";
    expect(lines[1]).toMatch(new RegExp(`^11:00:50 +● PENDING .* ${id}$`));
  });

  it("drops schemes, /api/v1 and the ends of ids before it cuts values", () => {
    const columns = ["url", "path", "id", "note"];
    const rows = [
      [
        "http://shop.test:3000/webhooks",
        "/api/v1/payments/quotes",
        "dlv_2ea485811b000000000015e5",
        "it is late",
      ],
    ];
    expect(tableLines(columns, rows, 90)[1]).toBe(
      "shop.test:3000/webhooks  /payments/quotes  dlv_2ea485811b000000000015e5  it is late",
    );
    expect(tableLines(columns, rows, 66)[1]).toBe(
      "shop.test:3000/webhooks  /payments/quotes  dlv_2ea4858  it is late",
    );
  });

  it("counts terminal cells, not characters", () => {
    const lines = tableLines(
      ["name", "status"],
      [
        ["日本", "PENDING"],
        ["é\u0301x", "FAILED"],
      ],
    );
    expect(lines[1]!.indexOf("PENDING")).toBe(2 + 2);
    expect(lines[2]!.indexOf("FAILED")).toBe(3 + 4);
    expect(tableLines(["name"], [["日本語日本語日本語"]], 7)[1]).toBe("日本語…");
  });

  it("is whole and plain without a terminal", () => {
    const lines = tableFormatter(CHARGES)(ANSWER).split("\n");
    expect(lines[2]).toContain(LONG_EMAIL);
    expect(lines[2]).toContain("2026-03-01T11:01:50.123Z");
    expect(lines.join("")).not.toContain("\u001b");
  });

  it("shows the day when there is more than one, and no unreadably narrow column", () => {
    const columns = ["at", "id"];
    const rows = [
      ["2026-03-01T11:00:50.123Z", "x"],
      ["2026-03-02T11:00:50.123Z", "y"],
    ];
    expect(tableLines(columns, rows, 20)[1]).toBe("03-01 11:00:50  x");
    expect(tableLines(["url"], [["http://shop.test/webhooks"]], 3)[1]).toBe("sh…");
  });

  it("shows outcomes by colour on a terminal", () => {
    plainTerminal(100);
    const text = tableFormatter(CHARGES)(ANSWER);
    const words = [paint("red", "✗ FAILED"), paint("green", "✓ COMPLETED"), paint("cyan", "● PENDING")];
    for (const painted of words) expect(text).toContain(painted);
    const answers = tableFormatter({ columns: ["status", "response"] })({
      items: [
        { status: 200, response: "ECONNREFUSED" },
        { status: 404, response: 503 },
      ],
    });
    for (const painted of [
      paint("green", "200"),
      paint("yellow", "404"),
      paint("red", "503"),
      paint("red", "ECONNREFUSED"),
    ])
      expect(answers).toContain(painted);
  });
});

it("guide has every call there is and the rules of a receiver, in at most 2,000 tokens", async () => {
  const { code, stdout } = await run(["guide"]);
  expect(code).toBe(0);
  const sandbox = closedAtEnd(await openSandbox());
  for (const { method, path, id } of OPERATIONS) {
    const line = `- ${method} ${path.replace(/:(\w+)/g, "{$1}")}: `;
    expect(
      stdout.split("\n").filter((one) => one.startsWith(line)),
      id,
    ).toHaveLength(1);
  }
  // A token is about four letters of English, or three of JSON and paths.
  expect(stdout.length / 3.2).toBeLessThan(2_000);
  expect(await (await sandbox.fetch("http://127.0.0.1:4402/llms.txt")).text()).toBe(stdout);
});

describe("with --json", () => {
  it.each([
    [["charges", "--url", "127.0.0.1:1"], "NO_SANDBOX", "payments-sandbox start"],
    [["charges", "--limt"], "USAGE", "payments-sandbox charges --help"],
    [["chargs"], "USAGE", "payments-sandbox --help"],
    [["run"], "USAGE", "payments-sandbox run --help"],
  ])("%j is refused as JSON, with a remedy", async (args, code, fix) => {
    const { stdout, stderr } = await run([...args, "--json"]);
    const { error } = JSON.parse(stdout);
    expect(error).toMatchObject({ code, fix, doc: expect.stringMatching(/^docs\/[\w-]+\.md$/) });
    expect(stderr).toBe(`payments-sandbox: ${error.message}\n`);
  });
});
