import { type Vocabulary, vocabularyOf } from "../../domain/known-names.js";
import type { Namespace } from "../../namespace/namespace.js";

/** The names there are in a namespace; types of events that it has sent by force are among them. */
export function vocabularyIn({ engine }: Namespace, paths: readonly string[]): Vocabulary {
  const { catalogue, settings, state } = engine;
  const known = vocabularyOf({ fixtures: catalogue.fixtures, eventNames: settings.event_names, paths });
  return (kind) => {
    const names = known(kind);
    if (names === undefined || (kind !== "event type" && kind !== "event name")) return names;
    const sent = new Set<string>();
    for (const { type } of state.tables.events.values()) sent.add(type);
    return [...names, ...[...sent].filter((type) => !names.includes(type))];
  };
}
