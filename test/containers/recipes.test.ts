import { describe, expect, it } from "vitest";
import { exchange, head } from "../support/api-wire.js";
import { Command } from "../support/process-command.js";
import { COMPOSE, RECIPES, type Recipe } from "./support/recipes.js";

/** A path that needs no API key but checks the host. */
const LOOK = "GET /api/v1/payments/supported-currencies HTTP/1.1";

function startArguments({ argv }: Recipe): string[] {
  const at = argv.indexOf("payments-sandbox");
  expect(argv.slice(0, at).join(" ")).toMatch(/^npx( --yes)?$/);
  return argv.slice(at + 1);
}

describe("docs/shared-sandbox.md", () => {
  it.each(Object.values(RECIPES))("the recipe $name starts", async (recipe) => {
    const args = startArguments(recipe);
    expect(args[0]).toBe("start");
    expect(args[args.indexOf("--host") + 1]).toBe("0.0.0.0");
    const here = args.map((one) => (one === "0.0.0.0" ? "127.0.0.1" : one));
    const { port } = await new Command([...here, "--port", "0", "--json"], { env: recipe.env }).ready();
    for (const name of args.flatMap((one, index) => (one === "--allowed-host" ? [args[index + 1]!] : [])))
      expect((await exchange(port, head(LOOK, `Host: ${name}:4402`)))?.status).toBe(200);
    expect((await exchange(port, head(LOOK, "Host: other:4402")))?.status).toBe(403);
  });

  it("sandbox and app of a recipe use the same values", () => {
    const { payments, app } = COMPOSE;
    expect(app!.environment).toMatchObject({
      ...payments!.environment,
      PAYMENTS_BASE_URL: "http://payments:4402",
      PAYMENTS_WEBHOOK_SECRET: "whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE=",
    });
  });
});
