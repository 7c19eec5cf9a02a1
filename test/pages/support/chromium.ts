import { existsSync } from "node:fs";
import { type BrowserContext, chromium } from "playwright-core";
import { beforeAll, describe } from "vitest";
import type { Sandbox, SandboxOptions } from "../../../src/library/index.js";
import { openSandbox } from "../../support/api-client.js";
import { temporaryFolder } from "../../support/folders.js";
import { atEnd, atEndOfFile } from "../../support/lifetime.js";
import { refuseInQuick } from "../../support/quick.js";

const PLACES = [
  process.env.CHROME_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

export const NO_CHROMIUM =
  "No Chromium found: install one (Debian: apt-get install chromium) or set CHROME_PATH to its program.";

/** Path of the first Chromium found. */
export function chromiumPath(): string | undefined {
  return PLACES.find((place) => place !== undefined && place !== "" && existsSync(place));
}

type ContextOptions = Parameters<Awaited<ReturnType<typeof launch>>["newContext"]>[0];

/** Turns off features that slow down opening a window. */
const TURNED_OFF = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "SpareRendererForSitePerProcess",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "TcpPortRandomizationWin",
  "ThirdPartyStoragePartitioning",
];

function launch(executablePath: string, home: string) {
  return chromium.launch({
    executablePath,
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--disable-features=${TURNED_OFF.join(",")}`,
    ],
  });
}

/** Skips the test without Chromium. */
export const describeInBrowser = describe.runIf(chromiumPath() !== undefined);

/** Launches Chromium. The returned function opens a window, closed at the end of the test. */
export function useBrowser(): (options?: ContextOptions) => Promise<BrowserContext> {
  let browser: Awaited<ReturnType<typeof launch>>;
  beforeAll(async () => {
    refuseInQuick("a browser");
    browser = await launch(chromiumPath()!, temporaryFolder());
    atEndOfFile(() => browser.close());
  });
  return async (options) => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(60_000);
    atEnd(() => context.close());
    return context;
  };
}

export async function listeningSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await openSandbox(options);
  await sandbox.listen();
  return sandbox;
}
