import { expect, it } from "vitest";
import { foundIn, openApp, shopOf } from "./apps.js";
import { FLOW } from "./support.js";

const FAILS =
  "the flow fails with nothing going wrong: and has it: the response differs at body.status, body.delivered";

it.concurrent("a flow that runs too early fails with a hint to wait", async () => {
  const failing = foundIn(await openApp(shopOf(), null), FLOW);
  await expect(failing).rejects.toThrow(
    `${FAILS}: body.status is "pending", not "paid", body.delivered is 0, not 1`,
  );
  await expect(failing).rejects.toThrow("give it time with `steady: 3s` beside the call");
});

it.concurrent("a failed check of a charge names its actual status", async () => {
  const flow = `${FLOW.split("observe:")[0]}  - expect_charge: { customer_email: "\${email}", status: FAILED }\n`;
  await expect(foundIn(await openApp(shopOf()), flow)).rejects.toThrow(
    /the flow fails with nothing going wrong: expect charge .*: status is "COMPLETED", not "FAILED"/,
  );
});

it.concurrent("a flow that waits for the app's own timer fails with a hint", async () => {
  const failing = foundIn(
    await openApp(shopOf()),
    FLOW.replace("status: paid, delivered: 1", "status: expired"),
  );
  await expect(failing).rejects.toThrow(`body.status: body.status is "paid", not "expired"`);
  await expect(failing).rejects.toThrow("sandbox time does not move the app's own clock");
});
