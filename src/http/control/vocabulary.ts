import { type Route, type Vocabulary, vocabularyOf, withRoutes } from "../../domain/known-names.js";
import type { Namespace } from "../../namespace/namespace.js";

/** The names there are in a namespace; types of events that it has sent by force are among them. */
export function vocabularyIn({ engine }: Namespace, routes: readonly Route[]): Vocabulary {
  const { catalogue, settings, state } = engine;
  const known = vocabularyOf({ fixtures: catalogue.fixtures, eventNames: settings.event_names, routes });
  return withRoutes((kind) => {
    const names = known(kind);
    if (names === undefined || (kind !== "event type" && kind !== "event name")) return names;
    return [...names, ...state.eventTypes().filter((type) => !names.includes(type))];
  }, routes);
}
