import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parseBooks } from "../../src/core/domain/books/parse-books.js";
import { START } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { CALL_REQUIRED } from "../support/light-fetch.js";
import { run } from "../support/process-command.js";
import { type Started, startServer } from "../support/started.js";
import { words } from "../support/words.js";

it.each([
  ["CSV", 'charge_id,status\nch_1,"a ""b"",\nc"\n\nch_2,paid\n', [2, 5]],
  ["CSV of a spreadsheet", '\uFEFFcharge_id;status\r\nch_1;"a ""b"",\nc"\r\nch_2;paid', [2, 4]],
  [
    "JSON lines",
    '{"charge_id":"ch_1","status":"a \\"b\\",\\nc"}\n\n{"charge_id":"ch_2","status":"paid"}\n',
    [1, 3],
  ],
  [
    "a JSON list",
    '[{"charge_id":"ch_1","status":"a \\"b\\",\\nc"},\n{"charge_id":"ch_2","status":"paid"}]',
    [1, 1],
  ],
])("reconcile accepts rows as %s", (_name, text, lines) => {
  const rows = [
    { charge_id: "ch_1", status: 'a "b",\nc' },
    { charge_id: "ch_2", status: "paid" },
  ];
  expect(parseBooks(text, "it")).toEqual({ rows, lines });
});

it.each([
  ["no orders\n", "it, line 1: is neither JSON nor a CSV header"],
  ["a,b\n1,2\n3\n", "it, line 3: has 1 cells, and the header has 2"],
  ['a,b\n1,"2\n', "it, line 2: has a quote that does not end, or text beside one"],
  ['{"a":1}\n{"a":\n', "it, line 2: is not JSON: column 6: expected a value, the text ends"],
  ['\n[{"a":1},\n{"a" 1}]', 'it, line 3: is not JSON: column 6: expected ":", found "1"'],
  ['{"a":1}\n7\n', "it, line 2: is not a JSON object"],
  ["[1]", "it, line 1: entry 1 of the list is not an object"],
])("reconcile refuses invalid rows: %j", (text, message) => {
  expect(() => parseBooks(text, "it")).toThrow(message);
});

it("reconcile accepts an empty list of rows", () => expect(parseBooks("\n", "it").rows).toEqual([]));

describe("reconcile", () => {
  let started: Started;
  let paid: string;
  beforeAll(async () => {
    started = await startServer(["--clock", "manual", "--start-time", START]);
    paid = await started.client.pay({ metadata: { order_id: "17" } });
    await started.client.transition(paid, "COMPLETED");
  });
  const reconcile = (...args: string[]) => run(["reconcile", ...args, "--url", started.url]);

  it("reconcile refuses more than 100 MB of output", async () => {
    const { code, stderr } = await reconcile("--app-cmd", "cat /dev/zero");
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^payments-sandbox: cat \/dev\/zero: prints more than 100 MB[^\n]*\n$/),
    });
  });

  it("reconcile prints the differences as text, JUnit and JSON", async () => {
    const junit = join(temporaryFolder(), "orders.xml");
    const rows = `order,state,n\n17,WARTET,0\n18,BEZAHLT,1\n`;
    const maps = words`--map metadata.order_id=order --map status=state --map delivered=n`;
    const statuses = words`--status WARTET=unpaid --status BEZAHLT=paid`;
    const shown = await run(
      words`reconcile --file - ${maps} ${statuses} --junit ${junit} --url ${started.url}`,
      { input: rows },
    );
    expect(shown.stderr).toBe("");
    expect(shown.code).toBe(1);
    expect(shown.stdout).toBe(
      [
        "✗ 2 rows compared with 1 charge: 2 findings; compared: status, delivered",
        `  ✗ paid_not_marked: row 1, ${paid}: order_id 17: COMPLETED, 101.50 NGN; the app says WARTET`,
        "  ✗ unknown_charge: row 2, no charge: order_id 18: there is no charge of this order; the app says BEZAHLT and has delivered",
        "",
      ].join("\n"),
    );
    expect(readFileSync(junit, "utf8")).toContain(
      '<testsuite name="reconcile" tests="7" failures="2" errors="0" skipped="0" timestamp=',
    );
    const { code, stdout } = await reconcile("--app-cmd", "true", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout).findings).toMatchObject([
      { kind: "paid_not_marked", row: null, charge_id: paid },
    ]);
  });

  it.each([
    ["pending", 1, "✗ 1 row compared"],
    ["paid", 2, "✓ 1 row compared"],
  ])("reconcile prints findings for %s without JUnit and exits with %d", async (status, expected, line) => {
    const row = `echo '{"charge_id":"${paid}","status":"${status}"}'`;
    const { code, stdout, stderr } = await reconcile("--app-cmd", row, "--junit", "/dev/full");
    expect({ code, stderr }).toEqual({
      code: expected,
      stderr: "payments-sandbox: --junit /dev/full cannot be written: the disk is full\n",
    });
    expect(stdout).toContain(line);
  });
});

/** Pays for an order and writes the app's books. */
const app = (status: string, exit = 0) => [
  "--",
  process.execPath,
  "-e",
  `${CALL_REQUIRED}
    pay().then(async ({ charge_id }) => {
      await call("POST", "/_sandbox/charges/" + charge_id + "/transition", { to: "COMPLETED" });
      require("node:fs").writeFileSync(process.env.BOOKS, "charge_id,status\\n" + charge_id + ",${status}\\n");
      process.exit(${exit});
    });
    `,
];
const exec = (folder: string, args: readonly string[]) =>
  run(["exec", "--reconcile", 'cat "$BOOKS"', ...args], { env: { BOOKS: join(folder, "books.csv") } });

it.each([
  ["paid", 0, 0],
  ["pending", 0, 1],
  ["pending", 3, 3],
  ["padi", 0, 2],
])(
  "exec --reconcile: books say %s, command exits with %d, exec exits with %d",
  async (status, exit, expected) => {
    const folder = temporaryFolder();
    const { code, stderr } = await exec(folder, ["--artifacts", folder, ...app(status, exit)]);
    expect(code, stderr).toBe(expected);
    if (status === "pending") {
      expect(stderr).toMatch(/^ {2}✗ paid_not_marked: row 1, ch_/m);
      const { findings } = JSON.parse(readFileSync(join(folder, "reconcile.json"), "utf8"));
      expect(findings).toMatchObject([{ kind: "paid_not_marked", row: 1 }]);
    } else if (status === "paid") expect(stderr).toContain("1 row compared with 1 charge: no difference");
    else
      expect(stderr).toContain(
        '--reconcile, line 2: status "padi" is not a known status; did you mean paid?',
      );
  },
);

it("reconcile and exec --reconcile exit with 2 if there was nothing to compare", async () => {
  const within = await run(["exec", "--reconcile", "true", "--", "true"]);
  const { url } = await startServer(["--clock", "manual"]);
  const beside = await run(["reconcile", "--app-cmd", "true", "--url", url]);
  for (const { code, stdout, stderr } of [within, beside]) {
    expect(`${stdout}${stderr}`).toContain("0 rows compared with 0 charges: nothing was compared");
    expect(code).toBe(2);
  }
});

it("exec --reconcile compares the books after each mishap", async () => {
  const { code, stderr } = await exec(temporaryFolder(), ["--under", "webhook_chaos", ...app("paid")]);
  expect(code).toBe(0);
  expect(stderr.match(/1 row compared with 1 charge: no difference/g)).toHaveLength(2);
});
