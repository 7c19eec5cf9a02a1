import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { ControlCharge } from "../../src/core/schema/control-responses.js";
import { Api, openSandbox } from "../support/api-client.js";
import { Project } from "../support/packed.js";
import { accept, Receiver, refuseWith } from "../support/receiver-server.js";
import { failed, fileWith } from "../support/scenario-run.js";
import { createCheckout } from "./support/checkouts.js";
import { openDashboard } from "./support/dashboard.js";

const RULES = { charges: [{ timeline: [{ after: "1s", to: "FAILED", reason: "out_of_reach" }] }] };

type Dashboard = Awaited<ReturnType<typeof openDashboard>>;

async function hosted(sandbox: Dashboard["sandbox"], press: "payCheckout" | "cancelCheckout") {
  const { charge_id, checkout_id } = await createCheckout(sandbox, { customer_email: "ada@example.com" });
  await sandbox.run("payCheckout", {
    checkout_id,
    payment_method: "mobile_money",
    phone_number: "+254700000001",
  });
  if (press === "cancelCheckout") await sandbox.run(press, { checkout_id });
  return charge_id;
}

/** Ways to an end; each returns its charge. */
const WAYS: Readonly<Record<string, (dashboard: Dashboard) => Promise<string>>> = {
  "paid by the usual course": ({ charge }) => charge("ada@example.com"),
  "declined by a rule": ({ charge }) => charge("declined@example.com"),
  "failed by hand with a reason": async ({ charge, press }) => {
    const id = await charge("ada@example.com");
    await press(`transitionCharge?charge_id=${id}&to=FAILED&reason=operator_down`);
    return id;
  },
  "partly refunded twice": async ({ charge, sandbox, press }) => {
    const id = await charge("ada@example.com");
    await sandbox.advance("1d");
    for (const amount of ["1.00", "2.00"])
      await press(`refundPart?charge_id=${id}&amount=${amount}&reason=one_item_missing`);
    return id;
  },
  "partly refunded, then wholly": async ({ charge, sandbox, press }) => {
    const id = await charge("ada@example.com");
    await sandbox.advance("1d");
    await press(`refundPart?charge_id=${id}&amount=1.00&reason=one_item_missing`);
    await press(`transitionCharge?charge_id=${id}&to=REFUNDED&reason=gone`);
    return id;
  },
  "charged back": async ({ charge, sandbox, press }) => {
    const id = await charge("ada@example.com");
    await sandbox.advance("1d");
    await press(`chargeBack?charge_id=${id}&reason=fraudulent`);
    return id;
  },
  "paid in live mode": async ({ sandbox }) => {
    const live = new Api(sandbox, "sk_live_sandbox");
    const order = { pricing: { base_currency: "USD", amount: "5.00" }, payment_method: "card" };
    const { quote_id } = await live.quote(order);
    return (await live.whitelabel({ ...order, quote_id, customer_email: "ada@example.com" })).charge_id;
  },
  "paid with another amount": async ({ charge, press }) => {
    const id = await charge("ada@example.com");
    await press(`payAmount?charge_id=${id}&amount=4.00`);
    return id;
  },
  "paid late by hand": async ({ charge, press }) => {
    const id = await charge("ada@example.com", { metadata: { sandbox_scenario: "expired" } });
    for (const to of ["EXPIRED", "COMPLETED"]) await press(`transitionCharge?charge_id=${id}&to=${to}`);
    return id;
  },
  "paid on the hosted page": ({ sandbox }) => hosted(sandbox, "payCheckout"),
  "cancelled on the hosted page": ({ sandbox }) => hosted(sandbox, "cancelCheckout"),
  "expired by its scenario": ({ charge }) =>
    charge("ada@example.com", { metadata: { sandbox_scenario: "expired" } }),
  "with an active scenario of webhooks": async ({ charge, press }) => {
    await press("activateScenario?name=duplicate_webhooks");
    const id = await charge("ada@example.com");
    await press("deactivateScenario?name=duplicate_webhooks");
    return id;
  },
  "failed by an own scenario": async ({ charge, put, press }) => {
    await put("own", JSON.stringify(RULES));
    await press("activateScenario?name=own");
    const id = await charge("ada@example.com");
    await press("deactivateScenario?name=own");
    return id;
  },
};

/** Type of the event that a wrong app refuses, by way; `charge.completed` for the others. */
const BUGS: Readonly<Record<string, string>> = {
  "cancelled on the hosted page": "charge.cancelled",
  "declined by a rule": "charge.failed",
  "failed by hand with a reason": "charge.failed",
  "failed by an own scenario": "charge.failed",
  "expired by its scenario": "charge.expired",
  "partly refunded twice": "sandbox.charge.partially_refunded",
  "partly refunded, then wholly": "charge.refunded",
  "charged back": "sandbox.charge.charged_back",
};

/** The address of an app, for each mode. */
const receiversAt = (url: string) => [url, { url, mode: "live" as const }];

const nameOfFile = (way: string) => `${way.replaceAll(/\W+/g, "-")}.test.ts`;

describe("the copied test of a charge", () => {
  let right: Receiver;
  const copies = new Map<string, { readonly yaml: string; readonly vitest: string; readonly end: object }>();

  beforeAll(async () => {
    right = await Receiver.open();
    for (const [way, lead] of Object.entries(WAYS)) {
      const dashboard = await openDashboard({ rateLimit: "off", webhooks: receiversAt(right.url) });
      const id = await lead(dashboard);
      await dashboard.sandbox.advance("1d");
      const text = await dashboard.page(`/charges/${id}`);
      const copied = (label: string) =>
        new RegExp(`aria-label="${label}[^"]*">(.*?)</pre>`, "s")
          .exec(text)![1]!
          .replace(/<[^>]+>/g, "")
          .replaceAll("&quot;", '"')
          .replaceAll("&#39;", "'")
          .replaceAll("&lt;", "<")
          .replaceAll("&gt;", ">")
          .replaceAll("&amp;", "&");
      const end = (await dashboard.sandbox.run("getCharge", { charge_id: id })) as ControlCharge;
      copies.set(way, { yaml: copied("Scenario"), vitest: copied("Test"), end: endOf(end) });
    }
  });

  /** Status, reason, rule and reversals of a charge. */
  function endOf({ status, mode, failure_reason, amount_paid, why, sandbox, ...charge }: ControlCharge) {
    const money = charge.reversals.map(({ kind, amount, reason }) => ({ kind, amount, reason }));
    const way = charge.status_history.map((change) => [change.status, change.reason]);
    const { scenario } = sandbox;
    return { status, mode, failure_reason, amount_paid, rule: why.rule, scenario, money, way };
  }

  it.each(Object.keys(WAYS))(
    "%s, in YAML: ends the same way, green in a right app and red in a wrong",
    async (way) => {
      const { yaml, end } = copies.get(way)!;
      const bug = BUGS[way] ?? "charge.completed";
      const run = async (receiver: Receiver) => {
        const sandbox = await openSandbox({ rateLimit: "off", webhooks: receiversAt(receiver.url) });
        const report = await sandbox.runFile(fileWith(yaml));
        const { items } = await sandbox.run("listCharges");
        return { step: failed(report), ends: (items as ControlCharge[]).map(endOf) };
      };
      const green = await run(right);
      expect(green.step).toBeUndefined();
      expect(green.ends).toEqual([end]);
      const wrong = await Receiver.open((received) =>
        (received.event.type === bug ? refuseWith(500) : accept)(received),
      );
      expect((await run(wrong)).step).toBeDefined();
    },
  );

  it("in Vitest: all are green in a right app and red in a wrong one", async () => {
    let isWrong = false;
    const app = await Receiver.open((received) =>
      (isWrong && Object.values({ ...BUGS, rest: "charge.completed" }).includes(received.event.type)
        ? refuseWith(500)
        : accept)(received),
    );
    const sources = [...copies].map(([way, { vitest }]) => [
      nameOfFile(way),
      vitest
        .replaceAll(right.url, app.url)
        .replace(
          "\n});",
          `\n  console.log("END", JSON.stringify(await sandbox.run("getCharge", { charge_id })));\n});`,
        ),
    ]);
    const project = new Project(Object.fromEntries(sources), ["vitest"]);
    const run = () =>
      project.run([join("node_modules", "vitest", "vitest.mjs"), "run", "--no-file-parallelism"]);
    const green = await run();
    expect(green.stdout + green.stderr).toMatch(
      new RegExp(`Tests +${copies.size} passed \\(${copies.size}\\)`),
    );
    const ends = [...green.stdout.matchAll(/^END (.*)$/gm)].map(([, json]) => endOf(JSON.parse(json!)));
    const sorted = (list: readonly object[]) => list.map((end) => JSON.stringify(end)).sort();
    expect(sorted(ends)).toEqual(sorted([...copies.values()].map(({ end }) => end)));
    isWrong = true;
    const red = await run();
    expect(red.stdout + red.stderr).toMatch(new RegExp(`Tests +${copies.size} failed \\(${copies.size}\\)`));
  });
});
