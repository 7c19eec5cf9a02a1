import { UserError } from "../core/schema/user-error.js";
import { startOptionsOf } from "../library-options.js";
import { openSandbox } from "../opening.js";
import type { SandboxOptions } from "../public-types.js";
import { OWN_OPTIONS, type Place } from "./place.js";

/** A sandbox in this process, for this test file alone. */
export async function openOwn(options: SandboxOptions, listens: boolean): Promise<Place> {
  const sandbox = await openSandbox(startOptionsOf("setupSandbox", options, OWN_OPTIONS));
  try {
    if (listens) await sandbox.listen();
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  return {
    namespace: "default",
    get url() {
      if (!listens)
        throw new UserError("the sandbox has no url: setupSandbox({ listen: false }) opens no port");
      return sandbox.url;
    },
    trust: sandbox.trust,
    apiKey: sandbox.apiKey,
    liveApiKey: sandbox.liveApiKey,
    webhookSecret: sandbox.webhookSecret,
    fetch: sandbox.fetch,
    onWebhook: async (handler, webhook) => {
      const stop = await sandbox.onWebhook(handler, webhook);
      return async () => stop();
    },
    explore: (flow, how) => sandbox.explore(flow, how),
    refurnish: async () => {},
    close: () => sandbox.close(),
  };
}
