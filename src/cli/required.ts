import { didYouMean } from "../core/schema/nearest.js";
import { UserError } from "../core/schema/user-error.js";

/** What was met and what was not, by kind, as the control API tells it. */
export type Covered = Readonly<
  Record<string, { readonly met: Readonly<Record<string, number>>; readonly not_met: readonly string[] }>
>;

/** What `--require` says has to be met: names of operations, statuses, events, error codes and mishaps. */
export class Required {
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

  /** Throws a UserError where there is nothing of such a name. */
  check(coverage: Covered): void {
    const known = Object.values(coverage).flatMap(({ met, not_met }) => [...Object.keys(met), ...not_met]);
    for (const name of this.#names)
      if (!known.includes(name))
        throw new UserError(
          `--require: there is nothing called ${name} to meet${didYouMean(name, known)}`,
          2,
        );
  }

  note(coverage: Covered): void {
    for (const { met } of Object.values(coverage)) for (const name of Object.keys(met)) this.#met.add(name);
  }

  /** What of it was in nothing noted so far. */
  get unmet(): string[] {
    return this.#names.filter((name) => !this.#met.has(name));
  }
}
