import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import type { Client } from "../../scenario/running/client.js";
import { tolerantStep } from "../sandbox/drive.js";
import { viewSteps, withoutWait } from "../sandbox/end-steps.js";
import type { Baseline } from "../sandbox/facts.js";
import { type Flow, findPresses } from "../sandbox/flow.js";
import type { AppWaits, FlowRun } from "../sandbox/flow-run.js";
import { customerEmail } from "../sandbox/money.js";
import { readRowsOf } from "../sandbox/observation.js";
import { ANY_RESPONSE, runHostOf } from "../sandbox/process-course.js";
import type { ProcessHost } from "../sandbox/process-host.js";
import { savedVariable, statusName, viewVariableName } from "../sandbox/saved-variable.js";
import type { ListedView } from "../sandbox/seen-views.js";
import type { LifeOrder } from "./fields.js";
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
export function fileLives(options: FileLivesOptions): LifeHost & { readonly close: () => Promise<void> } {
  const { flow, host, client, baseline, waits, free, listed } = options;
  const press = baseline.pressMatches.findIndex((one) => one !== undefined);
  /** The press by which the customer goes to pay, and the steps that lead to it. */
  const paying = findPresses(flow)[press]!;
  const before = flow.drive.slice(0, flow.drive.indexOf(paying));
  const hasAttempt = press > 0;
  const ordering = hasAttempt ? before : [...before, paying];
  /** The customer's e-mail address as the flow writes it. */
  const address = baseline.customerMatch.customer_email;
  let runs: readonly FlowRun[] = [];
  /** Runs of the orders of a life, by their ids. */
  const orders = new Map<string, FlowRun>();
  const nothing = async (): Promise<unknown> => undefined;
  /** Ends the runs of a life. */
  let end = nothing;

  const idle = () => runs[0]!.step("rest", IDLE);

  const close = async (): Promise<void> => {
    const endRuns = end;
    end = nothing;
    orders.clear();
    await endRuns();
  };

  /** The step, with the customer's address where the flow writes one of the run. */
  const stepFor = ({ email }: LifeOrder, step: RawStep): RawStep =>
    address === undefined ? step : JSON.parse(JSON.stringify(step).replaceAll(address, email));

  return {
    client,
    free,
    hasAttempt,
    rowsSince: readRowsOf(client),
    hasJob: flow.scheduledWork.length > 0,
    allowsRefund: flow.allow.refunded !== undefined,
    newestCharge: undefined,
    close,

    async begin(count) {
      await close();
      const begun: FlowRun[] = [];
      const { promise: ended, resolve: endRuns } = withResolvers();
      const { promise: ready, resolve: begin } = withResolvers();
      const follow = async (run: FlowRun): Promise<void> => {
        for (const step of run.loader.includedSteps) await run.loadedStep("drive", step);
        if (begun.push(run) === count) begin();
        await ended;
      };
      const course = { flow, name: String(flow.raw.name), rules: { charges: CHARGES }, waits, follow };
      const carriedOut = host.carryOut(Array(count).fill(course), () => undefined, true);
      end = () => {
        endRuns();
        return carriedOut;
      };
      await Promise.race([ready, carriedOut]);
      runs = begun;
      await runs[0]!.steps("reset", flow.reset);
    },

    newOrder(known) {
      const run = runs[orders.size]!;
      const { runId: id, scope } = run.loaded;
      orders.set(id, run);
      const email = known ?? customerEmail(baseline, id) ?? id;
      for (const [name, value] of Object.entries(isJsonObject(flow.raw.vars) ? flow.raw.vars : {}))
        if (typeof value === "string" && value === address) scope.save(name, email);
      return { id, email };
    },

    async press(act, order, tries) {
      const run = orders.get(order.id)!;
      let isRefused = false;
      // The run ends its steps with one that fails.
      const failure = await run.failureIn(async () => {
        for (const step of act === "order" ? ordering : [paying])
          if (step.advance === undefined) {
            const tolerant = stepFor(order, tolerantStep(step, tries, run.waits.flowWait));
            isRefused ||= Number(Object(await run.step("drive", tolerant)).status) >= 400;
          } else await run.advance("drive", step);
      });
      await idle();
      return failure === undefined && !isRefused;
    },

    async until(work) {
      const result = await work;
      await idle();
      return result;
    },

    together: (one, other) => Promise.all([one(), other()]),

    async advance(by) {
      await runs[0]!.advance("tail", { advance: by });
      await idle();
    },

    useRules: (rules) => host.useRules(rules),

    async tick() {
      for (const run of orders.values()) await runHostOf(run, flow).tick();
      await idle();
    },

    async look(order) {
      const run = orders.get(order.id)!;
      const views = viewSteps(flow).map((view) => ({ ...stepFor(order, view), expect: ANY_RESPONSE }));
      await run.failureIn(() => run.look(waits.quiet === undefined ? views.map(withoutWait) : views));
      return views.map((_view, index) => ({
        name: viewName(index),
        body: listed(savedVariable(run.loaded, viewVariableName(index)), index, order.id),
        status: Number(savedVariable(run.loaded, statusName(index)) ?? 404),
      }));
    },
  };
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
