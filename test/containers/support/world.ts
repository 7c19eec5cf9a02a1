import { fileURLToPath } from "node:url";
import { blocksOf } from "../../docs/support/pages.js";
import type { ChildOutput, Finished } from "../../support/child-output.js";
import { shellEnvironment, UserProject } from "../../support/user-project.js";
import { Machines } from "./machines.js";
import type { Recipe } from "./recipes.js";

const support = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const APP = blocksOf("docs/start.md").find(({ marker }) => marker === "file: shop.mjs")!.code;

export interface Ask {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
  readonly json: any;
}

const KEY = { authorization: "Bearer sk_test_sandbox", "content-type": "application/json" };

/** The app of docs/start.md and a sandbox, on separate machines. */
export class ContainerWorld {
  readonly #machines: Machines;
  readonly #project = new UserProject();

  private constructor(machines: Machines) {
    this.#machines = machines;
    this.#project.write("shop.mjs", APP);
  }

  static async open(...names: string[]): Promise<ContainerWorld> {
    return new ContainerWorld(await Machines.open(names));
  }

  address(machine: string): string {
    return this.#machines.address(machine);
  }

  async sandbox(machine: string, { argv, env }: Recipe): Promise<string> {
    return (await this.start(machine, argv, env).printed(/is ready[\s\S]*Stop with/)).input;
  }

  async app(machine: string, env: Record<string, string>): Promise<void> {
    await this.start(machine, ["node", "shop.mjs"], env).printed(/listens on port 3000/);
  }

  async publish(port: number, machine: string): Promise<void> {
    const argv = ["node", support("publish.mjs"), String(port), machine];
    await this.start("host", argv).printed(/published/);
  }

  /** Starts a command that runs until the end of the test or the file. */
  start(machine: string, argv: readonly string[], env: Record<string, string> = {}): ChildOutput {
    return this.#machines.start(machine, argv, {
      cwd: this.#project.folder,
      env: { ...shellEnvironment(), ...env },
    });
  }

  /** Runs a command on a machine until it exits. */
  run(machine: string, argv: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
    return this.start(machine, argv, env).ended;
  }

  /** Sends requests from a machine and returns the responses. */
  async ask(machine: string, ...asks: readonly Ask[]): Promise<Answer[]> {
    const { code, stdout, stderr } = await this.run(machine, [
      "node",
      support("probe.mjs"),
      JSON.stringify(asks),
    ]);
    if (code !== 0) throw new Error(stderr);
    return (JSON.parse(stdout) as Answer[]).map((answer) => ({ ...answer, json: jsonOf(answer.text) }));
  }

  /** Orders at the app and advances ten seconds. */
  async order(from: string, shop: string, control: string, token: string): Promise<Ask> {
    const [ordered, advanced] = await this.ask(
      from,
      { url: `${shop}/orders`, method: "POST", body: { email: "ada@example.com", phone: "+254700000001" } },
      {
        url: `${control}/_sandbox/clock/advance`,
        method: "POST",
        headers: { "sandbox-control-token": token },
        body: { by: "10s" },
      },
    );
    if (advanced!.status !== 200) throw new Error(advanced!.text);
    return { url: `${shop}/orders/${ordered!.json.order_id}` };
  }

  /** Returns the status of a new order after ten seconds. */
  async orderAndWait(from: string, shop: string, control: string, token: string): Promise<string> {
    return this.statusOf(from, await this.order(from, shop, control, token));
  }

  async statusOf(from: string, order: Ask): Promise<string> {
    const [answer] = await this.ask(from, order);
    return answer!.json.status;
  }

  /** Returns a call that creates a hosted checkout. */
  static checkout(url: string): Ask {
    return {
      url: `${url}/api/v1/payments/checkouts`,
      method: "POST",
      headers: KEY,
      body: { pricing: { base_currency: "KES", amount: "500.00" }, customer_email: "ada@example.com" },
    };
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
