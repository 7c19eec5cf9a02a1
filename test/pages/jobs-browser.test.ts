import { beforeAll, describe, expect, it } from "vitest";
import {
  HANDS,
  type HandName,
  handOf,
  JOBS,
  makeJobWorld,
  openJobReceiver,
} from "../../bench/dashboard-jobs.mjs";
import { openSandbox } from "../support/api-client.js";
import { atEnd } from "../support/lifetime.js";
import { chromiumPath, type LaunchedBrowser, launchBrowser } from "./support/chromium.js";

describe.runIf(chromiumPath() !== undefined)("the ten jobs of the dashboard", () => {
  let browser: LaunchedBrowser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });

  it.each(Object.keys(HANDS) as HandName[])(
    "take two presses from the first page at most: %s",
    async (name) => {
      const sandbox = await openSandbox();
      const { url } = await sandbox.listen();
      const receiver = await openJobReceiver();
      atEnd(() => receiver.close());
      const world = await makeJobWorld(url, "shop", receiver);
      const context = await browser.open(HANDS[name]);
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      const errors: string[] = [];
      page.on("pageerror", ({ message }) => errors.push(message));
      const told: [string, boolean][] = [];
      for (const { name: job, most, carryOut } of JOBS) {
        await page.goto(world.home);
        const hand = handOf(name, page);
        await carryOut(hand, world);
        told.push([`${job}: ${hand.presses}`, hand.presses <= most]);
      }
      expect(told.filter(([, isFew]) => !isFew)).toEqual([]);
      expect(told).toHaveLength(10);
      expect(errors).toEqual([]);
    },
  );
});
