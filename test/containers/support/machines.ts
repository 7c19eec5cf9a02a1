import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ChildOutput } from "../../support/child-output.js";
import { temporaryFolder } from "../../support/folders.js";
import { atEnd } from "../../support/lifetime.js";
import { buildIfMissing } from "../../support/process-command.js";

const PREFIX = "10.99.0";

/** True if this user can create network namespaces. */
export function canMakeMachines(): boolean {
  try {
    const tries = "ip link add br0 type bridge && nsenter --version && mount --bind /etc/hosts /etc/hosts";
    execFileSync("unshare", ["--map-root-user", "--net", "--mount", "sh", "-ec", tries], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Models a container network with a bridge, interfaces and hosts files. */
export class Machines {
  readonly #folder = temporaryFolder();
  readonly #holder: ChildProcess;
  readonly #pids = new Map<string, string>();
  readonly #running = new Set<ChildProcess>();

  private constructor(names: readonly string[]) {
    buildIfMissing();
    const addresses = names.map((name, index) => ({ name, address: `${PREFIX}.${index + 2}` }));
    const hosts = join(this.#folder, "hosts");
    writeFileSync(
      hosts,
      [
        "127.0.0.1 localhost",
        `${PREFIX}.1 host.docker.internal`,
        ...addresses.map(({ name, address }) => `${address} ${name}`),
        "",
      ].join("\n"),
    );
    const lines = [
      "exec 3<&0",
      "ip link set lo up",
      "ip link add br0 type bridge",
      `ip addr add ${PREFIX}.1/24 dev br0`,
      "ip link set br0 up",
      `mount --bind ${hosts} /etc/hosts`,
      `echo host $$`,
      ...addresses.flatMap(({ name, address }, index) => [
        // The machine is ready when it writes to this pipe.
        `mkfifo ${this.#folder}/${name}`,
        `unshare --net --mount sh -c 'echo there > ${this.#folder}/${name}; exec cat' <&3 >&2 & pid=$!`,
        `read there < ${this.#folder}/${name}`,
        `ip link add veth${index} type veth peer name eth0 netns $pid`,
        `ip link set veth${index} master br0 up`,
        `nsenter -t $pid -n sh -ec 'ip link set lo up; ip addr add ${address}/24 dev eth0; ip link set eth0 up'`,
        `echo ${name} $pid`,
      ]),
      "echo ready",
      "exec cat",
    ];
    this.#holder = spawn("unshare", ["--map-root-user", "--net", "--mount", "sh", "-ec", lines.join("\n")], {
      stdio: ["pipe", "pipe", "pipe"],
    });
  }

  /** Creates a host and containers, which resolve each other's names. */
  static async open(names: readonly string[]): Promise<Machines> {
    const machines = new Machines(names);
    atEnd(() => machines.#close());
    const said = await new ChildOutput(machines.#holder).printed(/^ready$/m);
    for (const [, name, pid] of said.input.matchAll(/^(\S+) (\d+)$/gm)) machines.#pids.set(name!, pid!);
    return machines;
  }

  address(name: string): string {
    return `${PREFIX}.${[...this.#pids.keys()].indexOf(name) + 1}`;
  }

  /** Starts a command on a machine in a read-only folder. */
  start(
    machine: string,
    argv: readonly string[],
    { cwd, env }: { cwd: string; env: Record<string, string> },
  ): ChildOutput {
    const inside = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && exec "$@"';
    const child = spawn(
      "nsenter",
      [
        ...["--target", this.#pids.get(machine)!, "--user", "--preserve-credentials", "--net", "--mount"],
        ...["unshare", "--mount", "sh", "-ec", inside, cwd, ...argv],
      ],
      { env, stdio: ["ignore", "pipe", "pipe"], detached: true },
    );
    this.#running.add(child);
    child.once("close", () => this.#running.delete(child));
    return new ChildOutput(child);
  }

  async #close(): Promise<void> {
    const ended = [...this.#running].map((child) => {
      const closed = new Promise((resolve) => child.once("close", resolve));
      // The signal goes to the whole group, because npx does not pass it on.
      process.kill(-child.pid!, "SIGKILL");
      return closed;
    });
    const gone = new Promise((resolve) => this.#holder.once("exit", resolve));
    this.#holder.stdin!.end();
    await Promise.all([...ended, gone]);
  }
}
