import { describe, expect, it } from "vitest";
import { blocksOf, PAGES } from "./support/pages.js";

/** Unmarked blocks that other tests find by what is in them, or that nothing runs; and which, or why. */
const KNOWN: readonly (readonly [page: string, part: string, why: string])[] = [
  ["README.md", "bin/payments-sandbox.js demo", "what it prints: readme.test.ts"],
  ["README.md", "npm install --save-dev ../", "the packed file is installed: test/package/install.test.ts"],
  ["docs/ci.md", "exec --under webhook", "the command around any suite; the matrix: test/cli"],
  ["docs/ci.md", "--require charge.expired", "the same: test/cli/exec-require.test.ts"],
  ["docs/output.md", "$ payments-sandbox charges", "what lists print: test/cli"],
  ["docs/containers.md", "docker run --rm --init", "test/containers"],
  ["docs/containers.md", "webhook pull", "test/containers"],
  ["docs/containers.md", "--control-token generate", "test/containers"],
  ["docs/control.md", "start --clock manual", "other-blocks.test.ts"],
  ["docs/control.md", "/_sandbox/wait", "other-blocks.test.ts"],
  ["docs/control.md", "/_sandbox/stream", "other-blocks.test.ts"],
  ["docs/cookbook/tests.md", "--scenario instant", "the same options: test/openapi/collection.test.ts"],
  ["docs/getting-started.md", "npm install", "needs a registry"],
  ["docs/explore.md", "--save found", "the command: test/explore"],
  ["docs/explore.md", "exec --explore", "the command around any app: test/cli/exec-explore.test.ts"],
  ["docs/reconcile.md", "✗ 2 rows compared", "what the one before prints: reconcile.test.ts"],
  ["docs/shared-sandbox.md", "--advertise-url", "needs a database: test/postgres"],
  ["docs/shared-sandbox.md", "docker compose", "needs a container engine; the page says so"],
  ["docs/shared-sandbox.md", "kubectl apply", "needs a cluster: the same"],
  ["docs/start-here.md", "npm ci && npm pack", "packed and installed: test/package/install.test.ts"],
  ["docs/start-here.md", "npm install", "the same, and needs a registry"],
  ["docs/testing.md", "exec -- npx vitest run", "the command around a test that is run"],
  ["docs/coming-from.md", "http.post(", "what it is turned over from: no code of ours"],
  ["docs/coming-from.md", "first-try-fails", "other-blocks.test.ts"],
  ["docs/containers.md", "docker build .", "test/containers/image.test.ts"],
  ["docs/https.md", "mkcert", "a tool of the user's; a certificate of one's own: test/cli/tls.test.ts"],
  ["docs/languages.md", "exec -- go test", "the command around any suite: test/cli/exec.test.ts"],
  ["docs/languages.md", "def test_a_payment", "languages.test.ts"],
  ["docs/languages.md", "func TestMain", "Go is not here; the page says so"],
  ["docs/languages.md", "proc_open", "PHP: the same"],
  ["docs/languages.md", "IO.popen", "Ruby: the same"],
  ["docs/languages.md", "ProcessStartInfo", ".NET: the same"],
  ["docs/ways-to-start.md", "bun payments-sandbox.mjs", "the one file: test/package/one-file.test.ts"],
  ["docs/ways-to-start.md", "SHA256SUMS", "a release's files: test/package/release.test.ts has their sums"],
  ["docs/webhooks.md", "POST /webhooks HTTP/1.1", "what is sent: test/webhooks/signatures.test.ts"],
  ["docs/webhooks.md", "file_get_contents", "PHP: the rest of a receiver, around what is run"],
  ["docs/webhooks.md", "raw_post", "Ruby: a controller of Rails, around what is run"],
  ["docs/webhooks.md", "signature:\n", "its keys: test/webhooks/signatures.test.ts"],
  ["docs/webhooks.md", "check-webhook https://", "no such host; the command: test/doctor"],
  ["docs/webhooks.md", "{charge_id}' --url", "an app that has orders: test/doctor"],
  ["docs/webhooks.md", "--order 'POST", "the same: test/doctor"],
  ["docs/webhooks.md", "sandbox.checkWebhook", "a part of a test: test/doctor"],
];

/** Pages whose every YAML block another test takes: ci.test.ts, test/containers. */
const YAML_TAKEN = ["docs/ci.md", "docs/containers.md"];

describe("code blocks of the pages", () => {
  const unmarked = PAGES.flatMap(blocksOf).filter(
    ({ page, marker, language }) =>
      marker === undefined && !(language === "yaml" && YAML_TAKEN.includes(page)),
  );
  const isOf = (page: string, part: string) => (one: { page: string; code: string }) =>
    one.page === page && one.code.includes(part);

  it("are run by a test when they are marked; the others are listed here, each with a reason", () => {
    const unknown = unmarked.filter((one) => !KNOWN.some(([page, part]) => isOf(page, part)(one)));
    expect(unknown.map(({ page, code }) => `${page}: ${code}`)).toEqual([]);
  });

  it.each(KNOWN)("%s still has the block with %j", (page, part) => {
    expect(unmarked.filter(isOf(page, part))).toHaveLength(1);
  });
});
