import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Collected,
  collect,
  type FailedTest,
  failedTestsOf,
  type Happened,
  namespacesOf,
} from "../../client/collect.js";
import { Mask } from "../../client/mask.js";
import { timelinesText } from "../../client/story-text.js";
import { makeFolder } from "../../files/folders.js";
import type { Sandbox } from "../../sandbox.js";
import { UserError } from "../../schema/user-error.js";
import type { Artifacts, Plan, Ran, Under } from "./plan.js";
import { clientOf } from "./stories.js";
import { appendSummary } from "./summary.js";

/** Makes the folder; that it cannot be written to is found out here, before anything has run. */
export function openArtifacts(folder: string): Artifacts {
  const probe = join(folder, `.payments-sandbox-${process.pid}`);
  try {
    makeFolder(folder);
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (error) {
    throw new UserError(
      `--artifacts: ${folder} cannot be written (${(error as NodeJS.ErrnoException).code})`,
      2,
    );
  }
  return new Folder(folder);
}

class Folder implements Artifacts {
  readonly #folder: string;
  readonly #mask = new Mask();

  constructor(folder: string) {
    this.#folder = folder;
  }

  write(name: string, text: string): void {
    this.#write(name, this.#mask.text(text));
  }

  #writeJson(name: string, value: unknown): void {
    this.#write(name, `${JSON.stringify(this.#mask.value(value), null, 2)}\n`);
  }

  /** For its owner's eyes: a file of an earlier run is replaced, with the access it gave. */
  #write(name: string, text: string): void {
    const file = join(this.#folder, name);
    makeFolder(join(file, ".."));
    rmSync(file, { force: true });
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  }

  async keep(sandbox: Sandbox, plan: Plan, ran: Ran, under: Under | undefined): Promise<void> {
    const folder = under?.folder ?? "";
    try {
      this.#mask.note(plan.options);
      const names = await namespacesOf(clientOf(sandbox));
      const collected: Collected[] = [];
      for (const name of names) {
        const one = await collect(clientOf(sandbox, name));
        collected.push(one);
        this.#mask.note(one);
        const { version: _version, state, ...happened } = one;
        const place = join(folder, names.length > 1 ? name : "");
        this.#writeJson(join(place, "state.json"), state);
        this.#writeHappened(place, happened);
      }
      const { tests, leftOut } = await failedTestsOf(clientOf(sandbox));
      const failed = tests.map((test) => this.#writeFailed(folder, test));
      this.#writeJson(join(folder, "exec.json"), {
        ...record(sandbox, plan, ran, under, collected[0]!.version, names),
        ...(failed.length === 0 ? {} : { failed_tests: failed, failed_tests_left_out: leftOut }),
      });
      appendSummary(plan, ran, under, [...tests, ...collected]);
    } catch (error) {
      // The command's own exit code says more than that of a full disk.
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      plan.notice(`--artifacts: not all could be kept (${message})`);
    }
  }

  #writeHappened(folder: string, { stories, ...files }: Happened): void {
    for (const [name, value] of Object.entries(files)) this.#writeJson(join(folder, `${name}.json`), value);
    this.#writeJson(join(folder, "timelines.json"), stories);
    this.write(join(folder, "timelines.txt"), timelinesText(stories));
  }

  /** A folder for a test that failed, as for a namespace; which it is. */
  #writeFailed(folder: string, failedTest: FailedTest): object {
    const { failed_test_id, test, namespace, at, text, ...happened } = failedTest;
    this.#mask.note(failedTest);
    const name = test.replace(/[^A-Za-z0-9]+/g, "-").slice(-LONGEST_FOLDER);
    const place = join("failed-tests", `${String(failed_test_id).padStart(3, "0")}-${name}`);
    this.#writeHappened(join(folder, place), happened);
    this.write(join(folder, place, "story.txt"), `${test}\n${text}\n`);
    return { test, namespace, at, folder: place };
  }
}

const LONGEST_FOLDER = 80;

/** What was run, with what, and how it came out. */
function record(
  sandbox: Sandbox,
  { command, options, templates }: Plan,
  { code, startedAt, durationMs }: Ran,
  under: Under | undefined,
  version: unknown,
  namespaces: readonly string[],
) {
  return {
    command,
    exit_code: code,
    started_at: startedAt,
    duration_ms: durationMs,
    ...(under === undefined ? {} : { under: under.scenario }),
    version,
    node: process.version,
    seed: sandbox.seed,
    url: sandbox.url,
    options,
    env: templates.map(({ name }) => name),
    namespaces,
  };
}
