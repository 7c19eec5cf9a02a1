import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import pg from "pg";
import { it } from "vitest";
import { refuseInQuick } from "./quick.js";
import { freePort } from "./servers.js";

const HOW_TO_INSTALL =
  "These tests need PostgreSQL 14 or newer: install it (Debian and Ubuntu: apt-get install postgresql; macOS: brew install postgresql@17), or set PAYMENTS_SANDBOX_POSTGRES_BIN to the folder of initdb and postgres.";

/** Finds the folder of `initdb`, which is not in PATH on Debian. */
function findBinaries(): string | undefined {
  const { PAYMENTS_SANDBOX_POSTGRES_BIN: chosen, PATH = "" } = process.env;
  const packaged = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"].flatMap((root) =>
    existsSync(root)
      ? readdirSync(root)
          .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
          .map((version) => join(root, version, "bin"))
      : [],
  );
  const folders = chosen === undefined ? [...PATH.split(delimiter), ...packaged] : [chosen];
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name))));
}

/** True if tests that need PostgreSQL are skipped; in CI they fail. */
export const lacksPostgres = findBinaries() === undefined && !process.env.CI;
if (lacksPostgres) console.info(`Tests on PostgreSQL are skipped. ${HOW_TO_INSTALL}`);
export const itOnPostgres = it.skipIf(lacksPostgres);

/** PostgreSQL refuses to run as root. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

function fail(): never {
  throw new Error(HOW_TO_INSTALL);
}

/** A PostgreSQL server in a temporary folder. */
export class Postgres {
  readonly #bin = findBinaries() ?? fail();
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), "postgres-")));
  #port = 0;
  #server: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #schemas = 0;

  static async start(settings: readonly string[] = []): Promise<Postgres> {
    refuseInQuick("PostgreSQL");
    const postgres = new Postgres();
    const { uid, gid } = NOBODY;
    if (uid !== undefined) chownSync(postgres.#folder, uid, gid);
    const data = join(postgres.#folder, "data");
    const flags = ["-D", data, "-U", "sandbox", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
    execFileSync(join(postgres.#bin, "initdb"), flags, { ...NOBODY, cwd: postgres.#folder, stdio: "pipe" });
    postgres.#port = await freePort();
    await postgres.restart(settings);
    return postgres;
  }

  /** Returns the URL of a new schema. */
  url(query = "lease=60s", port = this.#port): string {
    return `postgres://sandbox@127.0.0.1:${port}/postgres?schema=s${++this.#schemas}&${query}`;
  }

  async query<Row = Record<string, unknown>>(url: string, text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(`set search_path to ${new URL(url).searchParams.get("schema")}`);
      return (await client.query(text)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  get port(): number {
    return this.#port;
  }

  get pid(): number {
    return this.#server!.pid!;
  }

  /** Starts the server and waits until it accepts connections. */
  async restart(settings: readonly string[] = ["fsync=off"]): Promise<void> {
    const all = [`port=${this.#port}`, "listen_addresses=127.0.0.1", "max_connections=200", ...settings];
    const flags = [`unix_socket_directories=${this.#folder}`, ...all].flatMap((setting) => ["-c", setting]);
    const server = spawn(join(this.#bin, "postgres"), ["-D", join(this.#folder, "data"), ...flags], {
      ...NOBODY,
      cwd: this.#folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#server = server;
    let log = "";
    this.#ended = new Promise((resolve) => server.once("close", () => resolve()));
    await new Promise<void>((resolve, reject) => {
      server.stderr!.setEncoding("utf8").on("data", (text: string) => {
        log = (log + text).slice(-10_000);
        if (log.includes("ready to accept connections")) resolve();
      });
      server.once("error", reject);
      server.once("close", () => reject(new Error(`PostgreSQL ended:\n${log}`)));
    });
  }

  /** SIGINT stops the server cleanly, SIGQUIT simulates a crash. */
  async stop(signal: "SIGINT" | "SIGQUIT" = "SIGQUIT"): Promise<void> {
    this.#server?.kill(signal);
    await this.#ended;
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
