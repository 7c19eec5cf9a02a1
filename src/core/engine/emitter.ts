type Listener<Event> = (event: Event) => void;

/** Named events. A listener's error never fails the caller; the first error of each listener is reported. */
export class Emitter<Events> {
  readonly #listeners: { [Name in keyof Events]?: Set<Listener<Events[Name]>> } = {};
  readonly #onError: (error: unknown) => void;
  readonly #reportedSources = new WeakSet<object>();

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Calls the listener after those that were added earlier. Returns a function that removes it. */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const listeners = (this.#listeners[name] ??= new Set());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    const listeners = this.#listeners[name];
    if (listeners === undefined) return;
    for (const listener of listeners)
      try {
        listener(event);
      } catch (error) {
        this.reportError(listener, error);
      }
  }

  /** Runs work whose error must not fail the caller. */
  runSafely(source: object, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.reportError(source, error);
    }
  }

  reportError(source: object, error: unknown): void {
    if (this.#reportedSources.has(source)) return;
    this.#reportedSources.add(source);
    this.#onError(error);
  }
}
