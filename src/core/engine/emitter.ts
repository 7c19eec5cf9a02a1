/** Listeners by name of the event, called in the order in which they were added. */
export class Emitter<Events extends { readonly [Name in keyof Events]: unknown }> {
  readonly #listeners: { [Name in keyof Events]?: Set<(event: Events[Name]) => void> } = {};

  /** Returns a function that removes the listener. */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void {
    const listeners = (this.#listeners[name] ??= new Set());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    const listeners = this.#listeners[name];
    if (listeners !== undefined) for (const listener of listeners) listener(event);
  }
}
