import { type Vocabulary, vocabularyOf, withRoutes } from "../../core/domain/known-names.js";
import { fixturesPatchSchema } from "../../core/schema/fixtures.js";
import { check } from "../../core/schema/issues.js";
import type { NameKind } from "../../core/schema/names.js";

const OF_FIXTURES: readonly NameKind[] = ["currency", "payment method", "payment rail"];

/** The same names, and what further fixtures name; those that are at fault, which is told elsewhere, name nothing. */
export function withFixtures(known: Vocabulary, further: unknown): Vocabulary {
  const checked = check(fixturesPatchSchema, further);
  const { currencies = [], methods = [], rails = [] } = checked.ok ? checked.data : {};
  const added = vocabularyOf({ fixtures: { currencies, methods, rails } });
  return withRoutes((kind) => {
    const names = known(kind);
    return names && OF_FIXTURES.includes(kind) ? [...names, ...(added(kind) ?? [])] : names;
  }, known.routes);
}
