import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "../../sandbox.js";
import { UserError } from "../../schema/user-error.js";
import { type Collected, collect, namespacesOf } from "./collect.js";
import { Mask } from "./mask.js";
import type { Artifacts, Plan, Ran, Under } from "./plan.js";
import { appendSummary } from "./summary.js";
import { timelinesText } from "./timelines.js";

/** Makes the folder; that it cannot be written to is found out here, before anything has run. */
export function openArtifacts(folder: string): Artifacts {
  const probe = join(folder, `.payments-sandbox-${process.pid}`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (error) {
    throw new UserError(
      `--artifacts: ${folder} cannot be written (${(error as NodeJS.ErrnoException).code})`,
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
    mkdirSync(join(file, ".."), { recursive: true });
    rmSync(file, { force: true });
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  }

  async keep(sandbox: Sandbox, plan: Plan, ran: Ran, under: Under | undefined): Promise<void> {
    const folder = under?.folder ?? "";
    try {
      this.#mask.note(plan.options);
      const names = await namespacesOf(sandbox);
      const collected: Collected[] = [];
      for (const name of names) {
        const one = await collect(sandbox, name);
        collected.push(one);
        this.#mask.note(one);
        this.#writeNamespace(join(folder, names.length > 1 ? name : ""), one);
      }
      const { version } = collected[0]!;
      this.#writeJson(join(folder, "exec.json"), record(sandbox, plan, ran, under, version, names));
      appendSummary(plan, ran, under, collected);
    } catch (error) {
      // The command's own exit code says more than that of a full disk.
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      plan.notice(`--artifacts: not all could be kept (${message})`);
    }
  }

  #writeNamespace(folder: string, collected: Collected): void {
    const { version: _version, stories, ...files } = collected;
    for (const [name, value] of Object.entries(files)) this.#writeJson(join(folder, `${name}.json`), value);
    this.#writeJson(join(folder, "timelines.json"), stories);
    this.write(join(folder, "timelines.txt"), timelinesText(stories));
  }
}

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
