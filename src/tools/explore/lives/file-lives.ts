import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import type { Client } from "../../scenario/running/client.js";
import type { RunRules } from "../functions/local-sandbox.js";
import { tolerantStep } from "../sandbox/drive.js";
import { viewSteps, withoutWait } from "../sandbox/end-steps.js";
import type { Baseline } from "../sandbox/facts.js";
import { type Flow, findPresses } from "../sandbox/flow.js";
import type { AppWaits, FlowRun } from "../sandbox/flow-run.js";
import { customerEmail } from "../sandbox/money.js";
import { type ReadRows, readRowsOf } from "../sandbox/observation.js";
import { ANY_RESPONSE, runHostOf } from "../sandbox/process-course.js";
import type { ProcessHost } from "../sandbox/process-host.js";
import { savedVariable, statusName, viewVariableName } from "../sandbox/saved-variable.js";
import type { ListedView } from "../sandbox/seen-views.js";
import type { LifeOrder, LifeView } from "./fields.js";
import { CHARGES, type LifeHost } from "./life.js";

interface FileLivesOptions {
  readonly flow: Flow;
  readonly host: ProcessHost;
  readonly client: Client;
  readonly baseline: Baseline;
  readonly waits: AppWaits;
  readonly free: readonly string[];
  readonly listed: ListedView;
}

const IDLE = { wait_for: "idle" };

/** An app behind HTTP in which lives are carried out. An order is a run of the flow, as far as its customer goes to pay. */
export class FileLives implements LifeHost {
  readonly hasAttempt: boolean;
  readonly hasJob: boolean;
  readonly client: Client;
  readonly rowsSince: ReadRows;
  readonly free: readonly string[];
  readonly allowsRefund: boolean;
  newestCharge: string | undefined;
  readonly #options: FileLivesOptions;
  /** The press by which the customer goes to pay, and the steps that lead to it. */
  readonly #paying: RawStep;
  readonly #ordering: readonly RawStep[];
  #runs: readonly FlowRun[] = [];
  /** Runs of the orders of a life, by their ids. */
  readonly #orders = new Map<string, FlowRun>();
  /** Ends the runs of a life. */
  #end: () => Promise<unknown> = async () => {};

  constructor(options: FileLivesOptions) {
    const { flow, baseline, client, free } = options;
    this.#options = options;
    this.client = client;
    this.rowsSince = readRowsOf(client);
    this.hasJob = flow.scheduledWork.length > 0;
    this.free = free;
    this.allowsRefund = flow.allow.refunded !== undefined;
    const presses = findPresses(flow);
    const press = baseline.pressMatches.findIndex((one) => one !== undefined);
    this.#paying = presses[press]!;
    const before = flow.drive.slice(0, flow.drive.indexOf(this.#paying));
    this.hasAttempt = press > 0;
    this.#ordering = this.hasAttempt ? before : [...before, this.#paying];
  }

  async begin(orders: number): Promise<void> {
    await this.close();
    const { flow, host, waits } = this.#options;
    const runs: FlowRun[] = [];
    const { promise: ended, resolve: end } = withResolvers();
    const { promise: ready, resolve: begin } = withResolvers();
    const follow = async (run: FlowRun): Promise<void> => {
      for (const step of run.loader.includedSteps) await run.loadedStep("drive", step);
      if (runs.push(run) === orders) begin();
      await ended;
    };
    const course = { flow, name: String(flow.raw.name), rules: { charges: CHARGES }, waits, follow };
    const carriedOut = host.carryOut(Array(orders).fill(course), () => undefined, true);
    this.#end = () => {
      end();
      return carriedOut;
    };
    await Promise.race([ready, carriedOut]);
    this.#runs = runs;
    await runs[0]!.steps("reset", flow.reset);
  }

  /** Ends the life. */
  async close(): Promise<void> {
    const end = this.#end;
    this.#end = async () => {};
    this.#orders.clear();
    await end();
  }

  newOrder(known?: string): LifeOrder {
    const { flow, baseline } = this.#options;
    const run = this.#runs[this.#orders.size]!;
    const { runId: id, scope } = run.loaded;
    this.#orders.set(id, run);
    const email = known ?? customerEmail(baseline, id) ?? id;
    for (const [name, value] of Object.entries(isJsonObject(flow.raw.vars) ? flow.raw.vars : {}))
      if (typeof value === "string" && value === this.#address) scope.save(name, email);
    return { id, email };
  }

  /** The customer's e-mail address as the flow writes it. */
  get #address(): string | undefined {
    return this.#options.baseline.customerMatch.customer_email;
  }

  async press(act: "order" | "attempt", order: LifeOrder, tries: number): Promise<boolean> {
    const run = this.#orders.get(order.id)!;
    const steps = act === "order" ? this.#ordering : [this.#paying];
    let isRefused = false;
    // The run ends its steps with one that fails.
    const failure = await run.failureIn(async () => {
      for (const step of steps)
        if (step.advance === undefined) {
          const tolerant = this.#as(order, tolerantStep(step, tries, run.waits.flowWait));
          isRefused ||= Number(Object(await run.step("drive", tolerant)).status) >= 400;
        } else await run.advance("drive", step);
    });
    await this.#idle();
    return failure === undefined && !isRefused;
  }

  /** The step, with the customer's address where the flow writes one of the run. */
  #as({ email }: LifeOrder, step: RawStep): RawStep {
    const address = this.#address;
    return address === undefined ? step : JSON.parse(JSON.stringify(step).replaceAll(address, email));
  }

  async until<Result>(work: Promise<Result>): Promise<Result> {
    const result = await work;
    await this.#idle();
    return result;
  }

  async #idle(): Promise<void> {
    await this.#runs[0]!.step("rest", IDLE);
  }

  async together(one: () => Promise<void>, other: () => Promise<void>): Promise<void> {
    await Promise.all([one(), other()]);
  }

  async advance(by: string): Promise<void> {
    await this.#runs[0]!.advance("tail", { advance: by });
    await this.#idle();
  }

  useRules(rules: RunRules): Promise<void> {
    return this.#options.host.useRules(rules);
  }

  async tick(): Promise<void> {
    for (const run of this.#orders.values()) await runHostOf(run, this.#options.flow).tick();
    await this.#idle();
  }

  async look(order: LifeOrder): Promise<LifeView[]> {
    const { flow, waits, listed } = this.#options;
    const run = this.#orders.get(order.id)!;
    const views = viewSteps(flow).map((view) => ({ ...this.#as(order, view), expect: ANY_RESPONSE }));
    await run.failureIn(() => run.look(waits.quiet === undefined ? views.map(withoutWait) : views));
    return views.map((_view, index) => ({
      name: viewName(index),
      body: listed(savedVariable(run.loaded, viewVariableName(index)), index, order.id),
      status: Number(savedVariable(run.loaded, statusName(index)) ?? 404),
    }));
  }
}

export function viewName(index: number): string {
  return index === 0 ? "body" : `body ${index + 1}`;
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
