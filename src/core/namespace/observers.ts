import type { Change } from "../engine/records.js";
import type { JournalEntry } from "./served-request.js";

/** Somebody who hears of what has happened and has no say in it. */
export interface Observer<Request = JournalEntry> {
  onChange?(change: Change): void;
  onRequest?(request: Request): void;
  /** It has come, and `onRequest` tells what has become of it. Not told of what is answered at once. */
  onArrival?(request: Request): void;
  /** A report for people, of that name, has got further. */
  onReport?(name: string): void;
}

/**
 * The one place that tells observers. What they do with it is no part of the call that caused it: none of them can
 * make it fail. The first failure of each is reported.
 */
export class Observers<Request = JournalEntry> {
  readonly #all = new Set<Observer<Request>>();
  #failed: WeakSet<object> | undefined;
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** It hears of each change and each request from now on; returns how to stop. */
  add(observer: Observer<Request>): () => void {
    this.#all.add(observer);
    return () => this.#all.delete(observer);
  }

  tellChange(change: Change): void {
    for (const observer of this.#all)
      try {
        observer.onChange?.(change);
      } catch (error) {
        this.report(observer, error);
      }
  }

  /** By its name, as `tellChange`: looked up by a variable, these two would cost as much as what they call. */
  tellRequest(request: Request): void {
    for (const observer of this.#all)
      try {
        observer.onRequest?.(request);
      } catch (error) {
        this.report(observer, error);
      }
  }

  tellArrival(request: Request): void {
    this.#tell("onArrival", request);
  }

  tellReport(name: string): void {
    this.#tell("onReport", name);
  }

  #tell<Of extends keyof Observer>(of: Of, what: Parameters<NonNullable<Observer<Request>[Of]>>[0]): void {
    for (const observer of this.#all)
      try {
        observer[of]?.(what as never);
      } catch (error) {
        this.report(observer, error);
      }
  }

  /** Lets somebody do what must not fail whoever calls. */
  shield(who: object, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.report(who, error);
    }
  }

  /** What somebody could not do that must not fail whoever called; the first time. */
  report(who: object, error: unknown): void {
    this.#failed ??= new WeakSet();
    if (this.#failed.has(who)) return;
    this.#failed.add(who);
    this.#onError(error);
  }
}
