import type { Change } from "../engine/records.js";
import type { RequestEntry } from "./served-request.js";

/** Listens to a namespace's changes, requests and reports, without any influence on them. */
export interface Observer<Request = RequestEntry> {
  onChange?(change: Change): void;
  onRequest?(request: Request): void;
  /** Called when a request arrives that is not answered at once. `onRequest` follows when the request is finished. */
  onArrival?(request: Request): void;
  /** The named report has changed. */
  onReport?(name: string): void;
}

/** Notifies observers. An observer's error never fails the caller; the first error of each observer is reported. */
export class ObserverList<Request = RequestEntry> {
  readonly #all = new Set<Observer<Request>>();
  #reportedSources: WeakSet<object> | undefined;
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** @returns a function that removes the observer */
  add(observer: Observer<Request>): () => void {
    this.#all.add(observer);
    return () => this.#all.delete(observer);
  }

  notifyChange(change: Change): void {
    for (const observer of this.#all)
      try {
        observer.onChange?.(change);
      } catch (error) {
        this.reportError(observer, error);
      }
  }

  /** Like `notifyArrival`, does not call `runSafely`: a closure per observer would cost as much as the observer's work. */
  notifyRequest(request: Request): void {
    for (const observer of this.#all)
      try {
        observer.onRequest?.(request);
      } catch (error) {
        this.reportError(observer, error);
      }
  }

  notifyArrival(request: Request): void {
    for (const observer of this.#all)
      try {
        observer.onArrival?.(request);
      } catch (error) {
        this.reportError(observer, error);
      }
  }

  notifyReport(name: string): void {
    for (const observer of this.#all) this.runSafely(observer, () => observer.onReport?.(name));
  }

  /** Runs work whose error must not fail the caller. */
  runSafely(source: object, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.reportError(source, error);
    }
  }

  /** Returns the notice handler with `runSafely` around it. */
  guardNoticeHandler(
    onNotice: ((notice: string) => void) | undefined,
  ): ((notice: string) => void) | undefined {
    return onNotice && ((notice) => this.runSafely(onNotice, () => onNotice(notice)));
  }

  /** Reports the first error of each source. */
  reportError(source: object, error: unknown): void {
    this.#reportedSources ??= new WeakSet();
    if (this.#reportedSources.has(source)) return;
    this.#reportedSources.add(source);
    this.#onError(error);
  }
}
