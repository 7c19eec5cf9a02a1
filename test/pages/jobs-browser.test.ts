import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { atEnd } from "../support/lifetime.js";
import { chromiumPath, launchBrowser } from "./support/chromium.js";
import { HANDS, handOf, JOBS, makeJobWorld, openJobReceiver } from "./support/dashboard-jobs.mjs";

/** Each way does all jobs. dashboard-browser.test.ts covers a mouse with a script. */
const HANDS_HERE = {
  keyboard: { uses: HANDS.keyboard, hasScript: true },
  phone: { uses: { ...HANDS.phone, javaScriptEnabled: false }, hasScript: false },
} as const;

describe.runIf(chromiumPath() !== undefined)("the ten jobs of the dashboard", () => {
  it("take at most two presses from the first page: by keyboard, and by touch on a phone without a script", async () => {
    const browser = await launchBrowser();
    const sandbox = await openSandbox({ rateLimit: "off" });
    const { url } = await sandbox.listen();
    const receiver = await openJobReceiver();
    atEnd(() => receiver.close());
    const faults: string[] = [];
    const presses: [string, string, number][] = [];
    for (const name of ["keyboard", "phone"] as const) {
      const { uses, hasScript } = HANDS_HERE[name];
      const world = await makeJobWorld(url, `by-${name}`, receiver);
      const context = await browser.open(uses);
      const page = await context.newPage();
      page.on("pageerror", ({ message }) => faults.push(message));
      for (const { name: job, from, carryOut } of JOBS) {
        if (from === "home" && page.url() !== world.home) await page.goto(world.home);
        const hand = { ...handOf(name, page), hasScript };
        await carryOut(hand, world);
        presses.push([name, job, hand.presses]);
      }
      await context.close();
    }
    expect(faults).toEqual([]);
    expect(presses).toHaveLength(20);
    expect(presses.filter(([, , many]) => many > 2 || many === 0)).toEqual([]);
  });
});
