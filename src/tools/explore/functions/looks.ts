import { UserError } from "../../../core/schema/user-error.js";
import { type LookMoment, lookName, statusName, viewVariableName } from "../sandbox/saved-variable.js";
import { ofRun } from "../sandbox/views.js";
import { call, statusOf } from "./acts.js";
import type { Driver } from "./driver.js";
import type { ExploreFlow } from "./flow.js";
import type { RunState } from "./run-state.js";
import { viewJson } from "./view-json.js";

/** Status of a view that throws an error without a status. */
const ABSENT = 404;

interface LooksOptions {
  readonly flow: Pick<ExploreFlow, "see">;
  readonly driver: Driver;
}

export class Looks {
  readonly #options: LooksOptions;
  readonly #runs: string[] = [];

  constructor(options: LooksOptions) {
    this.#options = options;
  }

  /** Notes a run, whose orders the views of later runs may show too. */
  begin(runId: string): void {
    this.#runs.push(runId);
  }

  /** Saves what the views show, each with a status, as a response of an app has one. */
  async save(run: RunState): Promise<void> {
    for (const [index, { body, status }] of (await this.look(run)).entries()) {
      run.variables.scope.save(viewVariableName(index), body);
      run.variables.scope.save(statusName(index), status);
    }
  }

  async saveAt(run: RunState, moment: LookMoment): Promise<void> {
    for (const [index, { body }] of (await this.look(run)).entries())
      run.variables.scope.save(lookName(moment, index), body);
  }

  async look(run: RunState): Promise<{ readonly body: unknown; readonly status: number }[]> {
    const views: { readonly body: unknown; readonly status: number }[] = [];
    for (const [name, look] of Object.entries(this.#options.flow.see)) {
      try {
        const view = await this.#options.driver.until(call(() => look(run.customer)));
        views.push({ body: ofRun(viewJson(name, view), run.variables.runId, this.#runs), status: 200 });
      } catch (error) {
        if (error instanceof UserError && run.plan === undefined) throw error;
        views.push({ body: { error: run.textOf(error) }, status: statusOf(error) ?? ABSENT });
      }
    }
    return views;
  }
}
