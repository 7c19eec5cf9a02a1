import { createHook } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import * as timers from "node:timers";
import * as timersPromises from "node:timers/promises";
import { replaceMembers } from "./replace-members.js";
import { afterPendingIo, monotonicMs, pause } from "./timers.js";

/** Turns of the event loop without activity after which an app in this process has nothing left to do by itself. */
const CALM_TURNS = 2;
/** Types of resources that stand for work of the system or of a thread that ends once: files, names, hashes. */
const WORK = /REQ(UEST|CALLBACK|PROMISE|WRAP)?$|CONNECTWRAP$/;
/** Wall time for which work of the system is waited for. A resource may also be one that never ends. */
const WORK_MS = 2_000;
/** Wall time for which a socket that was written to is waited for, such as the connection to a database. */
const SOCKET_MS = 100;

/** Work of the system, as `async_hooks` reports it. */
interface Work {
  readonly resource: object;
  readonly sinceMs: number;
}

/** Returns true for a job of a thread that nobody waits for, such as that of random bytes: it is done, and never ends. */
function isSynchronousJob(resource: object): boolean {
  return resource.constructor.name.endsWith("Job") && (resource as { ondone?: unknown }).ondone === undefined;
}

type Member = (this: Socket, ...values: unknown[]) => unknown;
/** A socket with the members of Node that it sends and receives by. */
type OpenSocket = Socket & { _writeGeneric?: Member; _server?: unknown };

/**
 * Tells when an app in this process has nothing left to do by itself: without wall time, unless it waits for the system.
 * Promises and immediates are seen by the turns they take, files and threads by `async_hooks`, other processes by sockets.
 */
export class AppStillness {
  #activity = 0;
  readonly #work = new Map<number, Work>();
  readonly #sockets = new Map<Socket, number>();
  readonly #outside = new Set<string>();
  readonly #ownPorts = new Set<number | undefined>();
  #hasGivenUp = false;
  #hasWaited = false;
  readonly #hook = createHook({
    init: (id, type, _triggerId, resource) => {
      if (WORK.test(type)) this.#work.set(id, { resource, sinceMs: monotonicMs() });
    },
    before: (id) => {
      if (this.#work.delete(id)) this.#activity++;
    },
  });
  readonly #restores: (() => void)[];

  /** Watches the process until `restore` is called. */
  constructor() {
    const note = () => this.note();
    const noting = (run: Member): Member =>
      function (...values) {
        note();
        return run.apply(this, values);
      };
    const { default: own } = timers as unknown as { readonly default: { setImmediate: Member } };
    const { default: promises } = timersPromises as unknown as { readonly default: { setImmediate: Member } };
    const setImmediate = noting(own.setImmediate);
    this.#restores = [
      ...this.#watchSockets(),
      replaceMembers(globalThis, { setImmediate }),
      replaceMembers(own, { setImmediate }),
      replaceMembers(promises, { setImmediate: noting(promises.setImmediate) }),
    ];
    syncBuiltinESMExports();
    this.#hook.enable();
  }

  #watchSockets(): (() => void)[] {
    const { _writeGeneric, push } = Socket.prototype as OpenSocket;
    // Another runtime sends otherwise.
    if (_writeGeneric === undefined) return [];
    const noteWrite = (socket: OpenSocket) => this.#noteWrite(socket);
    const noteRead = (socket: Socket) => {
      this.#sockets.delete(socket);
      this.note();
    };
    return [
      replaceMembers(Socket.prototype, {
        _writeGeneric(this: Socket, ...values: unknown[]) {
          noteWrite(this);
          return _writeGeneric.apply(this, values);
        },
        push(this: Socket, ...values: Parameters<Socket["push"]>) {
          noteRead(this);
          return push.apply(this, values);
        },
      }),
    ];
  }

  /** A server of this process waits for no response, nor does a stream that is never read. */
  #noteWrite(socket: OpenSocket): void {
    this.note();
    if (socket._server != null) this.#ownPorts.add(socket.localPort);
    else if (socket.readable) {
      this.#sockets.set(socket, monotonicMs());
      const { remoteAddress, remotePort } = socket;
      if (remoteAddress !== undefined) this.#outside.add(`${remoteAddress}:${remotePort}`);
    }
  }

  note(): void {
    this.#activity++;
  }

  /** Addresses outside of this process that the app has written to. */
  get outside(): string[] {
    const own = [...this.#ownPorts].map((port) => `:${port}`);
    return [...this.#outside].filter((address) => !own.some((port) => address.endsWith(port))).sort();
  }

  /** The system did not end work of the app in time. What follows from it is not seen. */
  get hasGivenUp(): boolean {
    return this.#hasGivenUp;
  }

  /** The app has waited for work of the system or of another process, whose duration is not the same in every run. */
  get hasWaited(): boolean {
    return this.#hasWaited;
  }

  restore(): void {
    this.#hook.disable();
    for (const restore of this.#restores) restore();
    syncBuiltinESMExports();
  }

  get #isWaiting(): boolean {
    const nowMs = monotonicMs();
    for (const [id, { resource, sinceMs }] of this.#work) {
      const isPending = !isSynchronousJob(resource);
      if (isPending && nowMs - sinceMs < WORK_MS) return true;
      this.#work.delete(id);
      this.#hasGivenUp ||= isPending;
    }
    for (const [socket, sinceMs] of this.#sockets) {
      if (!socket.destroyed && nowMs - sinceMs < SOCKET_MS) return true;
      this.#sockets.delete(socket);
    }
    return false;
  }

  /** Resolves when the app is still. A turn runs all promises that can be settled, so these alone never need two. */
  async whenStill(): Promise<void> {
    for (let calm = 0; calm < CALM_TURNS; ) {
      const before = this.#activity;
      await new Promise<void>(afterPendingIo);
      calm = this.#activity === before ? calm + 1 : 0;
      if (calm < CALM_TURNS || !this.#isWaiting) continue;
      this.#hasWaited = true;
      await pause(1);
      calm = 0;
    }
  }
}
