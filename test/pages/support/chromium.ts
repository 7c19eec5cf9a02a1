import { existsSync } from "node:fs";
import { type BrowserContext, chromium } from "playwright-core";
import type { Sandbox, SandboxOptions } from "../../../src/library/index.js";
import { openSandbox } from "../../support/api-client.js";
import { temporaryFolder } from "../../support/folders.js";
import { atEnd, atEndOfFile } from "../../support/lifetime.js";

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

/** The first Chromium there is on this machine. */
export function chromiumPath(): string | undefined {
  return PLACES.find((place) => place !== undefined && place !== "" && existsSync(place));
}

export interface LaunchedBrowser {
  /** A window of its own: no cookies, no history. */
  open(options?: Parameters<Awaited<ReturnType<typeof launch>>["newContext"]>[0]): Promise<BrowserContext>;
}

/**
 * The pages of a window's address bar, which tests do not use, take two processes for each window, and more than half
 * of the time to open one. Another process waits for the next page. The others are those that playwright turns off;
 * only the last list given to Chromium counts.
 */
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

/** A Chromium that leaves no files and makes no calls; playwright gives it a profile in the temporary folder. */
export async function launchBrowser(): Promise<LaunchedBrowser> {
  const home = temporaryFolder();
  const browser = await launch(chromiumPath()!, home);
  atEndOfFile(() => browser.close());
  return {
    open: async (options) => {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(60_000);
      atEnd(() => context.close());
      return context;
    },
  };
}

export async function listeningSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await openSandbox(options);
  await sandbox.listen();
  return sandbox;
}
