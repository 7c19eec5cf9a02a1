import { afterEach, describe, expect, it } from "vitest";
import { MARKINGS } from "../../src/schema/books.js";
import { openShop } from "../support/receiver-client.js";
import { blocksOf, pageText } from "./support/pages.js";
import { UserProject } from "./support/user-project.js";

const PAGE = "docs/reconcile.md";
const codeOf = (page: string, wanted: string) =>
  blocksOf(page).find(({ marker }) => marker === wanted)?.code ?? "";

let project: UserProject | undefined;
afterEach(() => project?.close());

describe(PAGE, () => {
  it("has the words there are", () => {
    const [, table] = pageText(PAGE).split(/<!-- \/?statuses -->\n/);
    const rows = Object.entries(MARKINGS).map(([name, words]) => `| \`${name}\` | ${words.join(", ")} |\n`);
    expect(table).toBe(`| means | words |\n|---|---|\n${rows.join("")}`);
  });

  it("has a test that passes as it stands, and fails when the app has its books wrong", async () => {
    project = new UserProject();
    project.write("books.test.mjs", codeOf(PAGE, "file: books.test.mjs"));
    const app = codeOf("docs/testing.md", "file: app.cjs");
    project.write("app.cjs", app);
    const line = "node --test --test-reporter=tap books.test.mjs";
    const { code, stdout } = await project.shell(line);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/^# pass 1$/m);
    project.write(
      "app.cjs",
      app
        .replace('type === "charge.failed"', 'type === "charge.declined"')
        .replace('"failed"', '"paid"')
        .replace('"open"', '"paid"'),
    );
    const wrong = await project.shell(line);
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toContain("marked_not_paid");
  }, 60_000);

  it("shows an answer as it is", async () => {
    const { client } = await openShop();
    const charge_id = await client.pay();
    await client.transition(charge_id, "COMPLETED");
    const { text } = await client.ask("POST /_sandbox/reconcile", {
      rows: [{ charge_id, status: "pending" }],
    });
    expect(JSON.parse(text.replaceAll(charge_id, "ch_0"))).toEqual(JSON.parse(codeOf(PAGE, "answer")));
  });
});
