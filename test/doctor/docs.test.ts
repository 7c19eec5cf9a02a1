import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { signatureHeaders } from "../../src/core/delivery/signing.js";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import { PROBES } from "../../src/core/schema/receiver-report.js";
import { openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { ROOT } from "../support/process-command.js";
import { isHere, startProgram } from "../support/programs.js";
import { fileWith } from "../support/scenario-run.js";

const page = readFileSync(join(ROOT, "docs/webhooks.md"), "utf8");

/** Returns the code block after a comment on the page. */
function block(marker: string): string {
  const [, code] = new RegExp(`<!-- ${marker} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(page)!;
  return code!;
}

/** The part of an app that the page leaves out: it places orders and shows them. */
const ORDERS = `
async function call(path, body) {
  const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY } = process.env;
  const headers = { authorization: "Bearer " + PAYMENTS_API_KEY, "content-type": "application/json" };
  const url = PAYMENTS_BASE_URL + "/api/v1/payments/" + path;
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
}
app.post("/orders", express.json(), async (request, response) => {
  const terms = { pricing: { base_currency: "KES", amount: "1105.10" }, payment_method: "card" };
  const { quote_id, amount, currency } = await call("quotes", terms);
  const order = { amount, currency, status: "PENDING" };
  const order_id = String(orders.size + 1);
  orders.set(order_id, order);
  const customer_email = request.body.email;
  order.charge_id = (await call("whitelabel", { ...terms, quote_id, customer_email, metadata: { order_id } })).charge_id;
  response.status(201).json({ order_id });
});
app.get("/orders/:id", (request, response) => {
  const { amount, status } = orders.get(request.params.id);
  response.json({ amount, status });
});
`;

const FLOW = `
name: order
vars: { email: "qa+\${run.id}@shop.test" }
steps:
  - { app: POST /orders, body: { email: "\${email}" }, save: { order: body.order_id } }
  - advance: 10s
  - { app: "GET /orders/\${order}", expect: { body: { status: COMPLETED } } }
observe:
  - app: GET /orders/\${order}
`;

it("the Node receiver in the docs passes check-webhook, and no webhook of explore breaks it", async () => {
  const sandbox = await openSandbox({ rateLimit: "off" });
  const { url } = await sandbox.listen();
  const env = {
    PAYMENTS_BASE_URL: url,
    PAYMENTS_API_KEY: sandbox.apiKey,
    PAYMENTS_WEBHOOK_SECRET: DEFAULT_WEBHOOK_SECRET,
    PORT: "0",
  };
  // Node resolves imports from here, next to node_modules.
  const file = join(ROOT, `.docs-${process.pid}-receiver.mjs`);
  writeFileSync(file, block("receiver: receiver.mjs") + ORDERS);
  try {
    const { port } = await startProgram(process.execPath, [file], env);
    const { findings } = await sandbox.checkWebhook(`localhost:${port}/webhooks`);
    expect(findings).toEqual([]);
    const app = `http://localhost:${port}`;
    await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: `${app}/webhooks` });
    const report = await sandbox.explore(fileWith(FLOW), { app, throws: false });
    const kinds = report.findings.flatMap(({ deviations }) => deviations.map(({ kind }) => kind));
    expect(kinds.filter((kind) => kind.startsWith("webhook_"))).toEqual([]);
  } finally {
    rmSync(file, { force: true });
  }
});

/** A language with documented code, and how to run it. */
interface Language {
  readonly marker: string;
  readonly command: string;
  /** Version flag; default: `--version`. */
  readonly version?: string;
  readonly file: string;
  readonly args?: readonly string[];
  /** Builds a program from the documented code. */
  readonly program: (code: string, secret: string) => string;
}

const LANGUAGES: Record<string, Language> = {
  Python: {
    marker: "verify: verify.py",
    command: "python3",
    file: "verify.py",
    program: (code, secret) => `${code}
import sys
for case in json.load(sys.stdin):
    try:
        print(verify("${secret}", case["headers"], case["body"].encode())["id"])
    except ValueError as error:
        print(error)
`,
  },
  Go: {
    marker: "verify: verify.go",
    command: "go",
    version: "version",
    file: "main.go",
    args: ["run"],
    program: (code, secret) => `package main

${code.replace("import (", 'import (\n\t"encoding/json"\n\t"fmt"\n\t"os"')}
func main() {
	var cases []struct {
		Headers map[string]string
		Body    string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		if err := Verify("${secret}", header, []byte(one.Body)); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(header.Get("webhook-id"))
		}
	}
}
`,
  },
  PHP: {
    marker: "verify: verify.php",
    command: "php",
    file: "verify.php",
    program: (code, secret) => `<?php
${code}
foreach (json_decode(file_get_contents('php://stdin'), true) as $case) {
    try {
        echo verify_webhook('${secret}', $case['headers'], $case['body'])['id'], "\\n";
    } catch (RuntimeException $error) {
        echo $error->getMessage(), "\\n";
    }
}
`,
  },
  Ruby: {
    marker: "verify: verify.rb",
    command: "ruby",
    file: "verify.rb",
    program: (code, secret) => `${code}
JSON.parse($stdin.read).each do |one|
  puts verify_webhook("${secret}", one["headers"], one["body"])["id"]
rescue BadSignature => error
  puts error.message
end
`,
  },
};

const folder = temporaryFolder();

for (const [name, language] of Object.entries(LANGUAGES)) {
  const isThere = isHere(language.command, language.version ?? "--version");
  it.skipIf(!isThere)(
    `the ${name} code in the docs verifies signatures${isThere ? "" : ` (${language.command} is not on this machine)`}`,
    () => {
      const body = '{"id":"evt_1","name":"Zoë 😀"}';
      const other = `whsec_${Buffer.alloc(24, 3).toString("base64")}`;
      const signed = (secrets: string[], ageMs = 0) =>
        signatureHeaders("standard", { id: "evt_1", sentAtMs: Date.now() - ageMs, body }, secrets);
      const mine = signed([DEFAULT_WEBHOOK_SECRET]);
      const cases = [
        { headers: mine, body, prints: "evt_1" },
        { headers: signed([other, DEFAULT_WEBHOOK_SECRET]), body, prints: "evt_1" },
        { headers: signed([other]), body, prints: "no signature fits" },
        { headers: signed([DEFAULT_WEBHOOK_SECRET], 600_000), body, prints: "stale or not signed" },
        { headers: signed([DEFAULT_WEBHOOK_SECRET], -600_000), body, prints: "stale or not signed" },
        { headers: mine, body: `${body} `, prints: "no signature fits" },
        { headers: { ...mine, "webhook-id": "evt_2" }, body, prints: "no signature fits" },
        { headers: { ...mine, "webhook-timestamp": "soon" }, body, prints: "stale or not signed" },
        { headers: { ...mine, "webhook-signature": "" }, body, prints: "no signature fits" },
        { headers: {}, body, prints: "stale or not signed" },
      ];
      const file = join(folder, language.file);
      writeFileSync(file, language.program(block(language.marker), DEFAULT_WEBHOOK_SECRET));
      const output = execFileSync(language.command, [...(language.args ?? []), file], {
        input: JSON.stringify(cases),
        encoding: "utf8",
      });
      expect(output.trim().split("\n")).toEqual(cases.map(({ prints }) => prints));
    },
    60_000,
  );
}

it("README and docs state the number of probes", () => {
  for (const file of ["README.md", "docs/webhooks.md"])
    expect(readFileSync(join(ROOT, file), "utf8")).toContain(`${PROBES.length} probes`);
});
