// Opens a sandbox: options and files → namespaces, HTTP and pages → `Sandbox`. Called by `createSandbox`, the command
// and the OpenAPI documents. Pages and the scenario runner are passed to the server, which imports neither.

import { dirname } from "node:path";
import { Catalogue } from "../core/domain/catalogue.js";
import { makeFolder } from "../core/files/make-folder.js";
import { packageVersion } from "../core/files/package.js";
import type { ScenarioRunner } from "../core/namespace/injected-tools.js";
import type { NamespaceOptions } from "../core/namespace/namespace-options.js";
import { Namespaces, type NamespacesOptions } from "../core/namespace/namespaces.js";
import { errorText } from "../core/schema/error-text.js";
import {
  DEFAULT_API_KEY,
  DEFAULT_LIVE_API_KEY,
  DEFAULT_WEBHOOK_SECRET,
  FIXED_SEED,
  normalizeWebhookUrl,
  parseClockSetting,
  type WebhookOption,
} from "../core/schema/option-schemas.js";
import { resolveSettings, type Settings } from "../core/schema/settings.js";
import { systemErrorText } from "../core/schema/system-error-text.js";
import { toPrintableLines, trimTrailingSlashes } from "../core/schema/text-format.js";
import { durationToMs, parseInstant } from "../core/schema/time.js";
import { UserError } from "../core/schema/user-error.js";
import type { PostgresStorageOptions } from "../core/store/postgres/postgres-storage.js";
import { createMemoryStorage, type Storage } from "../core/store/storage.js";
import { StoreError } from "../core/store/store-error.js";
import { loadLazily } from "../core/time/load-lazily.js";
import { generateSeed, generateToken, systemWallClock } from "../core/time/wall-clock.js";
import { PAGES } from "../pages/page-routes.js";
import { createApps } from "../server/http/app.js";
import { parseStartOptions, type SandboxOptions } from "./library-options.js";
import { resolveServiceOptions, type UnresolvedOptions } from "./options.js";
import { Sandbox } from "./sandbox.js";

/** Loads the audit of stored data. Called only with a data file, because the schemas take time to load. */
async function auditWith(catalogue: Catalogue, settings: Settings): Promise<NamespaceOptions["audit"]> {
  const { auditState } = await import("../core/engine/intake/read-state.js");
  return (state) => auditState(state, { catalogue, settings });
}

const loadScenarioRunner = () => loadLazily(() => import("../tools/scenario/scenario-object.js"));

export const scenarioTools: ScenarioRunner = {
  read: async (...source) => (await loadScenarioRunner()).readScenarioObject(...source),
  run: async (...run) => (await loadScenarioRunner()).runScenarioObject(...run),
};

/** Opens a sandbox without a port; throws a UserError for faults in options and files. */
export async function openSandbox(requested: UnresolvedOptions): Promise<Sandbox> {
  const control_token = requested.control_token === "generate" ? generateToken() : requested.control_token;
  const version = packageVersion();
  const { fixtures, scenarios, fileScenarios, active, scenarioSettings, warnings } =
    await resolveServiceOptions(requested);
  const options = {
    ...requested,
    ...scenarioSettings,
    rate_limit: requested.rate_limit ?? scenarioSettings.rate_limit ?? requested.defaultRateLimit,
    control_token,
    onError: requested.onError ?? reportError,
  };
  for (const warning of warnings) options.onWarning?.(warning);
  const webhooks: WebhookOption[] = [
    ...(options.webhooks ?? []).map((webhook) => ({
      ...webhook,
      url: webhook.url === undefined ? undefined : normalizeWebhookUrl(webhook.url),
    })),
    ...(options.webhook_url ?? []).map((url) => ({ url: normalizeWebhookUrl(url)! })),
  ];
  const catalogue = new Catalogue(fixtures);
  const settings = resolveSettings(options);
  const defaultSeed = options.useRandomSeed ? generateSeed() : FIXED_SEED;
  const storage = await openStorage({
    data: options.data,
    fsync: options.fsync,
    onNotice: options.onNotice,
    onError: options.onError,
    version,
    seed: options.seed ?? defaultSeed,
  });
  const shared: NamespacesOptions["base"] = {
    seed: options.seed,
    defaultSeed: storage.ownership?.seed ?? defaultSeed,
    clock: options.clock === undefined ? undefined : parseClockSetting(options.clock),
    startMs: options.start_time === undefined ? undefined : parseInstant(options.start_time),
    catalogue,
    settings,
    audit: options.data === undefined ? undefined : await auditWith(catalogue, settings),
    scenarios,
    fileScenarios,
    activeScenarios: active,
    webhooks,
    webhookSecret: options.webhook_secret ?? DEFAULT_WEBHOOK_SECRET,
    rateLimit:
      options.rate_limit === undefined || options.rate_limit === "off" ? undefined : options.rate_limit,
    publicUrl: options.public_url && trimTrailingSlashes(options.public_url),
    webhookTimeoutMs: durationToMs(options.webhook_timeout ?? "15s"),
    aroundAttempt: options.aroundAttempt,
    holdLimitMs: durationToMs(options.hold_limit ?? "30s"),
    apiKey: DEFAULT_API_KEY,
    liveApiKey: DEFAULT_LIVE_API_KEY,
    wall: systemWallClock,
    version,
    onError: options.onError,
    onNotice: options.onNotice,
  };
  const namespaces = new Namespaces({
    base: shared,
    autoNamespaces: options.auto_namespaces ?? false,
    onActivity: options.onActivity,
    scenarios: scenarioTools,
    storage,
  });
  const apps = createApps({
    namespaces,
    pages: PAGES,
    paths: options.paths ?? {},
    errorCodes: options.error_codes ?? {},
    documentOf: async (api) =>
      (await loadLazily(() => import("./openapi-documents.js"))).openApiDocumentOf(api, openSandbox),
    onError: options.onError,
  });
  // Test runners report an import after the end of the tests as an error, so a library loads the control API now.
  if (!options.ownsProcess) await apps.control();
  return new Sandbox(namespaces, apps, options);
}

let lastReport = { text: "", count: 0 };

/**
 * Prints an error on standard error: the message of a storage error, the stack of any other error. A repeated
 * message is printed at its 1st, 10th, 100th … occurrence, with the count.
 */
function reportError(error: unknown): void {
  const text =
    error instanceof StoreError
      ? errorText(error)
      : `internal error: ${error instanceof Error && error.stack ? error.stack : errorText(error)}`;
  lastReport = { text, count: lastReport.text === text ? lastReport.count + 1 : 1 };
  const { count } = lastReport;
  if (!/^10*$/.test(String(count))) return;
  const times = count === 1 ? "" : ` (${count} times so far)`;
  process.stderr.write(`payments-sandbox: ${toPrintableLines(text)}${times}\n`);
}

/**
 * Starts a sandbox in this process. It opens no port before `listen()`, and leaves nothing running after `close()`.
 * Throws a UserError for invalid options and files, with one line for each fault.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return openSandbox(parseStartOptions("createSandbox", options));
}

interface StorageOptions extends Omit<PostgresStorageOptions, "data"> {
  /** The default namespace's file, or the URL of a database; undefined stores everything in memory. */
  readonly data?: string | undefined;
}

async function openStorage({ data, ...options }: StorageOptions): Promise<Storage> {
  if (data === undefined) return createMemoryStorage();
  if (/^postgres(ql)?:/.test(data)) {
    const { PostgresStorage } = await import("../core/store/postgres/postgres-storage.js");
    return new PostgresStorage({ ...options, data }).start();
  }
  const { FileStorage } = await import("../core/store/file-storage.js");
  try {
    makeFolder(dirname(data));
  } catch (error) {
    throw new UserError(`the folder of the data file ${data} cannot be made: ${systemErrorText(error)}`);
  }
  return new FileStorage({ ...options, data });
}
