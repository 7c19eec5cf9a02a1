import { didYouMean } from "../core/schema/nearest.js";
import { UserError } from "../core/schema/user-error.js";

export type Coverage = Readonly<
  Record<string, { readonly met: Readonly<Record<string, number>>; readonly not_met: readonly string[] }>
>;

const LIST = "; npx payments-sandbox coverage lists all names";

/** The names of `--require`: operations, statuses, events, error codes and mishaps. */
export class RequiredCoverage {
  readonly #names: readonly string[];
  readonly #met = new Set<string>();

  /** @param list names, separated by commas */
  constructor(list: string) {
    this.#names = list
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean);
    if (this.#names.length === 0)
      throw new UserError("--require takes the names of what has to be met, separated by commas", 2);
  }

  /** @throws UserError if a name is unknown */
  refuseUnknown(coverage: Coverage): void {
    const known = Object.values(coverage).flatMap(({ met, not_met }) => [...Object.keys(met), ...not_met]);
    for (const name of this.#names)
      if (!known.includes(name))
        throw new UserError(
          `--require: there is nothing called ${name} to meet${didYouMean(name, known, LIST)}`,
          2,
        );
  }

  addCoverage(coverage: Coverage): void {
    for (const { met } of Object.values(coverage)) for (const name of Object.keys(met)) this.#met.add(name);
  }

  /** Required names that are absent from the coverage of every `addCoverage` call. */
  get unmet(): string[] {
    return this.#names.filter((name) => !this.#met.has(name));
  }
}
