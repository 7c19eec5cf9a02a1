import { expect, it } from "vitest";
import { compare } from "../../src/tools/compare/compare.js";
import { observe } from "../../src/tools/compare/shape.js";
import { documented } from "../support/documented.js";
import { compareWith, opener, startServices } from "./support/compared.js";

it("a text of the service that has a key or a secret in it is kept by its form", () => {
  const context = { seen: new Map(), probe: "getBalances", atMs: 0 };
  for (const text of ["No such key: sk_test_mine", "whsec_mine is no secret"])
    expect(observe(401, { error: { message: text } }, context).fields["error.message"]).toBe("text");
});

it("a recording has no key, secret, address, phone number or amount, and replays to the same differences", async () => {
  documented.isChecked = false;
  const services = await startServices(["fees_card", "url_renamed"]);
  for (const service of Object.values(services)) {
    const { recording, differences } = await compareWith(service, { payouts: true });
    const text = JSON.stringify(recording);
    const forbidden = {
      key: /sk_(test|live)_|Bearer/,
      secret: /whsec_/,
      address: /@|https?:/,
      phone: /\d{7}/,
      amount: /\d[.,]\d\d\b|"\d+"|1105|3190/,
      name: /Ada|Obi|Sandbox Shop/,
    };
    const found = Object.entries(forbidden).map(([what, pattern]) => [what, pattern.exec(text)?.[0]]);
    expect(found.filter(([, one]) => one !== undefined)).toEqual([]);
    const stored = JSON.parse(text) as typeof recording;
    const replayed = await compare({
      service: { recording: stored },
      open: opener(),
      payouts: true,
      burst: false,
      repair: false,
    });
    expect(replayed.differences).toEqual(differences);
    expect(differences.length).toBeGreaterThan(0);
    expect(replayed.calls).toBe(0);
  }
});
