import { describe, expect } from "vitest";
import { CONTROL_OPERATIONS } from "../../src/server/control/operations.js";
import { expectInvalid, openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";

const LISTS = CONTROL_OPERATIONS.filter(({ method, id }) => method === "GET" && id.startsWith("list")).map(
  ({ path }) => path,
);

describe("the query of a control list", () => {
  it("is tried on all lists", () => {
    expect(LISTS.length).toBeGreaterThan(8);
  });

  it.for(LISTS)(
    "with an unknown parameter is refused, and the parameter named: %s",
    async (path, { api }) => {
      const answer = await api.get(`${path}?limit=1&__proto__=x&lmiit=2`);
      expectInvalid(answer, "__proto__", "lmiit");
      expect(answer.error.message).toBe("Invalid query parameters");
      expect(answer.details.lmiit).toBe("is not a known parameter; did you mean limit?");
      expect((await api.get(`${path}?limit=1&offset=0`)).status).toBe(200);
      for (const limit of ["0", "101", "x"])
        expectInvalid(await api.get(`${path}?limit=${limit}&offset=-1`), "limit", "offset");
    },
  );

  it("reports typos together with other faults, and suggests the right name", async ({ api }) => {
    const answer = await api.get("/_sandbox/charges?stauts=FAILED&limit=0&colour=red");
    expectInvalid(answer, "stauts", "limit", "colour");
    expect(answer.details.stauts).toContain("did you mean status?");
    expect(answer.details.colour).toContain("customer_email");
  });

  it.each([
    ["charges?status=COMPLTED", "status", "COMPLETED"],
    ["withdrawals?status=PENDIN", "status", "PENDING"],
    ["deliveries?status=faild", "status", "failed"],
    ["deliveries?mode=tset", "mode", "test"],
  ])("suggests the name a typo stands for: %s", async (query, field, meant) => {
    const answer = await (await openApi()).get(`/_sandbox/${query}`);
    expectInvalid(answer, field);
    expect(answer.details[field]).toMatch(new RegExp(`^must be one of .+; did you mean ${meant}\\?$`));
  });

  it("accepts any metadata of a charge", async ({ api }) => {
    expect((await api.get("/_sandbox/charges?metadata.order=1&metadata.=2")).status).toBe(200);
    expectInvalid(await api.get("/_sandbox/charges?metadata=1"), "metadata");
    expectInvalid(await api.get("/_sandbox/events?metadata.order=1"), "metadata.order");
  });

  it("is stricter than that of the service, which ignores unknown parameters as documented", async ({
    api,
  }) => {
    expect((await api.tryPayins("?colour=red")).status).toBe(200);
  });
});

describe("the query of a control call without parameters", () => {
  it.for(CONTROL_OPERATIONS.filter(({ call, input }) => !/^(GET|DELETE) /.test(call) || input === undefined))(
    "is refused with any parameter: $method $path",
    async ({ method, path }, { api }) => {
      const url = `${path.replaceAll(/:\w+/g, "none")}?zz=1&waitt=1s`;
      expectInvalid(await api.send(method, url, null), "zz", "waitt");
    },
  );

  it("accepts how long to wait for the clock", async ({ api }) => {
    expect((await api.post("/_sandbox/reset?wait=1s", {})).status).toBe(200);
    const answer = await api.post("/_sandbox/reset?waitt=1s", {});
    expect(answer.details).toEqual({ waitt: "is not a known parameter; did you mean wait?" });
  });
});
