import { describe, expect, it } from "vitest";
import { CHARGE_STATUSES } from "../../src/core/schema/common.js";
import { CHARGE_STATUS_TABLE } from "../../src/core/schema/statuses.js";
import { openApi } from "../support/api-client.js";

/** The way from PENDING to a status. */
function wayTo(status: (typeof CHARGE_STATUSES)[number]): (typeof CHARGE_STATUSES)[number][] {
  const from = CHARGE_STATUS_TABLE[status].sample?.from;
  return from === undefined ? [] : [...wayTo(from), status];
}

describe.each(CHARGE_STATUSES)("a charge that is %s", (status) => {
  it("is shown on every page", async () => {
    const api = await openApi({ clock: "manual", scenario: ["stuck"] });
    const { checkout_id, charge_id } = await api.pay();
    for (const to of wayTo(status))
      await api.send("POST", `/_sandbox/charges/${charge_id}/transition`, JSON.stringify({ to }));
    const home = "/_sandbox/dashboard/default";
    for (const path of [
      `/checkout/${checkout_id}`,
      home,
      `${home}/charges`,
      `${home}/charges?status=${status}`,
      `${home}/charges/${charge_id}`,
      `${home}/money`,
    ]) {
      const page = await api.get(path);
      expect([path, page.status < 500, page.status === 404]).toEqual([path, true, false]);
    }
    const detail = await api.get(`${home}/charges/${charge_id}`);
    expect(detail.text).toContain(status);
  });
});
