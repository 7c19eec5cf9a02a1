import { describe, expect, it } from "vitest";
import { openApi } from "../support/api-client.js";
import { printed, readAtStart } from "../support/openapi-command.js";

describe("payments-sandbox openapi --control", () => {
  it("prints what /_sandbox/openapi.json serves, to be read by people", async () => {
    const text = await printed("--control");
    const served = (await (await openApi()).get<object>("/_sandbox/openapi.json")).body;
    expect(JSON.parse(text)).toEqual({
      ...served,
      servers: [{ url: "http://127.0.0.1:4402", description: "This sandbox" }],
    });
    expect(text).toMatch(/^\{\n {2}"openapi": "3\.1\.0",\n/);
    expect(Object.keys(JSON.parse(await printed()).paths)).not.toContain("/_sandbox");
  });

  it("names the public address", async () => {
    expect(JSON.parse(await printed("--control", "--public-url", "https://pay.shop.test"))).toMatchObject({
      servers: [{ url: "https://pay.shop.test" }],
    });
  });
});

describe("who serves a document", () => {
  it("makes none", async () => {
    const { read, known } = await readAtStart(["src/server/openapi/serve.ts", "src/server/control/app.ts"]);
    expect(read).toContain("src/server/control/operations.ts");
    expect(
      known.filter((file) => /openapi\/(control|described|schemas|service)|control-responses/.test(file)),
    ).toEqual([]);
  });
});
