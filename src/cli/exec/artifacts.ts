import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../core/files/make-folder.js";
import { historiesText } from "../../core/reports/charge-history-text.js";
import {
  addFailedTests,
  exportNamespace,
  type FailedTestExport,
  readFailedTests,
  readNamespaceNames,
} from "../../core/reports/namespace-export.js";
import { DEFAULT_WEBHOOK_SECRET } from "../../core/schema/option-schemas.js";
import { maskKey } from "../../core/schema/text-format.js";
import type { Sandbox } from "../../library/sandbox.js";
import {
  type ArtifactWriter,
  type CommandRunResult,
  controlClientOf,
  type ExecPlan,
  type MatrixRunPlan,
} from "./plan.js";

const TEST_NAME_MAX = 80;

export class ArtifactsFolder implements ArtifactWriter {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes a file that only its owner can read. Deletes an existing file first: it would keep its permissions. */
  write(file: string, text: string): void {
    const path = join(this.#folder, file);
    makeFolder(join(path, ".."));
    rmSync(path, { force: true });
    writeFileSync(path, maskSecretsInText(text), { mode: 0o600, flag: "wx" });
  }

  #writeJson(file: string, value: unknown): void {
    this.write(file, `${JSON.stringify(maskSecretsInJson(value), null, 2)}\n`);
  }

  async save(
    sandbox: Sandbox,
    plan: ExecPlan,
    result: CommandRunResult,
    under: MatrixRunPlan | undefined,
  ): Promise<void> {
    const folder = under?.folder ?? "";
    try {
      const namespaces = await readNamespaceNames(controlClientOf(sandbox));
      const { tests, leftOut } = await readFailedTests(controlClientOf(sandbox));
      const deleted = tests.filter(({ namespace }) => !namespaces.includes(namespace));
      let version = "";
      for (const [index, namespace] of namespaces.entries()) {
        const { state, ...exported } = await exportNamespace(controlClientOf(sandbox, namespace));
        version = exported.version;
        const { stories, ...logs } = index === 0 ? addFailedTests(exported, deleted) : exported;
        const place = join(folder, namespaces.length > 1 ? namespace : "");
        for (const [name, value] of Object.entries({ ...logs, state, timelines: stories }))
          if (name !== "version") this.#writeJson(join(place, `${name}.json`), value);
        this.write(join(place, "timelines.txt"), historiesText(stories));
      }
      this.#writeJson(join(folder, "exec.json"), {
        command: plan.command,
        exit_code: result.code,
        started_at: result.startedAt,
        duration_ms: result.durationMs,
        ...(under === undefined ? {} : { under: under.scenario }),
        version,
        node: process.version,
        seed: sandbox.seed,
        url: sandbox.url,
        options: plan.options,
        env: plan.templates.map(({ name }) => name),
        namespaces,
        ...(tests.length === 0
          ? {}
          : {
              failed_tests: tests.map((test) => this.#writeFailed(folder, test)),
              failed_tests_left_out: leftOut,
            }),
      });
    } catch (error) {
      // A full disk must not replace the command's exit code.
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      plan.notice(`--artifacts: not all could be kept (${message})`);
    }
  }

  #writeFailed(folder: string, failedTest: FailedTestExport): object {
    const { failed_test_id, test, namespace, at } = failedTest;
    const name = test.replace(/[^A-Za-z0-9]+/g, "-").slice(-TEST_NAME_MAX);
    const file = join("failed-tests", `${String(failed_test_id).padStart(3, "0")}-${name}.json`);
    this.#writeJson(join(folder, file), failedTest);
    return { test, namespace, at, file };
  }
}

/** Replaces a webhook secret. Has the format of a secret, so a masked state can be imported. */
const MASKED_SECRET = "whsec_bWFza2VkIG1hc2tlZCBtYXNrZWQ=";
const MASKED = "masked";

const SECRET_NAME = /secret|password|token|verif-hash/i;
const WEBHOOK_SECRET = /whsec_[A-Za-z0-9+/_-]{8,}={0,2}/g;
const API_KEY = /sk_(?:test|live)_[A-Za-z0-9_-]+/g;

export function maskSecretsInText(text: string): string {
  return text.replace(WEBHOOK_SECRET, maskSecret).replace(API_KEY, maskKey);
}

/** Copies JSON and masks its secrets: API keys, webhook secrets, and the text of fields such as `password`. */
export function maskSecretsInJson(value: unknown, name = ""): unknown {
  if (typeof value === "string") return SECRET_NAME.test(name) ? maskSecret(value) : maskSecretsInText(value);
  if (Array.isArray(value)) return value.map((item) => maskSecretsInJson(item, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, maskSecretsInJson(part, key)]));
}

/** Keeps the documented default secret, which is public. */
function maskSecret(secret: string): string {
  if (secret === DEFAULT_WEBHOOK_SECRET) return secret;
  return secret.startsWith("whsec_") ? MASKED_SECRET : MASKED;
}
