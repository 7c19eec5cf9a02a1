import { createHook } from "node:async_hooks";
import { ServerResponse } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import { availableParallelism, loadavg } from "node:os";
import * as timers from "node:timers";
import * as timersPromises from "node:timers/promises";
import { replaceMembers } from "./replace-members.js";
import { afterPendingIo, pause } from "./timers.js";

/** Turns of the event loop without activity after which an app in this process has nothing left to do by itself. */
const CALM_TURNS = 2;
/** Types of resources that stand for work of the system or of a thread that ends once: files, names, hashes. */
const WORK = /REQ(UEST|CALLBACK|PROMISE|WRAP)?$|CONNECTWRAP$/;
/** Types of `WORK` that end at a socket, which tells by its address where the app waits. */
const CONNECTING = /^(GETADDRINFO|HTTPCLIENT|TCPCONNECT|PIPECONNECT)/;
/** Pauses of 1 ms for which work of the system is waited for. A resource may also be one that never ends. */
const WORK_PAUSES = 2_000;
/** Pauses of 1 ms for which a socket that was written to is waited for, such as the connection to a database. */
const SOCKET_PAUSES = 100;

/** Work of the system, as `async_hooks` reports it. */
interface Work {
  readonly resource: object;
  readonly isConnecting: boolean;
  readonly sincePause: number;
}

/** Writes to a socket that have no answer yet. */
interface Unanswered {
  readonly address: string;
  writes: number;
  sincePause: number;
  /** True while a server of this process works, which is seen; false once it responds; absent for one elsewhere. */
  isServed?: boolean;
}

/** Returns true for a job of a thread that nobody waits for, such as that of random bytes: it is done, and never ends. */
function isSynchronousJob(resource: object): boolean {
  return resource.constructor.name.endsWith("Job") && (resource as { ondone?: unknown }).ondone === undefined;
}

/** Threads per processor, at least 1: a process that answers takes as many times longer. */
function busyness(): number {
  return Math.max(1, loadavg()[0]! / availableParallelism());
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
  readonly #sockets = new Map<Socket, Unanswered>();
  /** Address that the app has written to → writes that one answer is for. */
  readonly #addresses = new Map<string, number>();
  /** Addresses at which a server of this process reads what the app writes. */
  readonly #own = new Set<string>();
  #hasGivenUp = false;
  #hasWaitedForWork = false;
  /** Pauses so far: a busy machine makes them longer, so an app that it slows is waited for as long. */
  #pauses = 0;
  #pause: Promise<void> | undefined;
  #isLearning = true;
  readonly #hook = createHook({
    init: (id, type, _triggerId, resource) => {
      if (!WORK.test(type)) return;
      this.#work.set(id, { resource, isConnecting: CONNECTING.test(type), sincePause: this.#pauses });
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
    const { assignSocket } = ServerResponse.prototype;
    // Another runtime sends otherwise.
    if (_writeGeneric === undefined) return [];
    const noteWrite = (socket: OpenSocket) => this.#noteWrite(socket);
    const noteRead = (socket: Socket, chunk: unknown) => this.#noteRead(socket, chunk);
    const noteRequest = (socket: Socket) => this.#noteServer(socket, true);
    return [
      // An HTTP server reads from the handle, past `push`.
      replaceMembers(ServerResponse.prototype, {
        assignSocket(this: ServerResponse, socket: Socket) {
          noteRequest(socket);
          return assignSocket.call(this, socket);
        },
      }),
      replaceMembers(Socket.prototype, {
        _writeGeneric(this: Socket, ...values: unknown[]) {
          noteWrite(this);
          return _writeGeneric.apply(this, values);
        },
        push(this: Socket, ...values: Parameters<Socket["push"]>) {
          noteRead(this, values[0]);
          return push.apply(this, values);
        },
      }),
    ];
  }

  /** A server of this process waits for no response, nor does a stream that is never read. */
  #noteWrite(socket: OpenSocket): void {
    this.note();
    if (socket._server != null) this.#noteServer(socket, false);
    else if (socket.readable && !socket.connecting) {
      const { remoteAddress, remotePort } = socket;
      const { writes = 0, address = `${remoteAddress}:${remotePort}` } = this.#sockets.get(socket) ?? {};
      this.#sockets.set(socket, { address, writes: writes + 1, sincePause: this.#pauses });
      if (!this.#addresses.has(address)) this.#addresses.set(address, 1);
    }
  }

  /** @param chunk null at the end */
  #noteRead(socket: Socket, chunk: unknown): void {
    this.note();
    const unanswered = this.#sockets.get(socket);
    if (unanswered === undefined) return;
    const { address, writes, isServed } = unanswered;
    const answered = this.#addresses.get(address)!;
    if (this.#isLearning && writes > answered) this.#addresses.set(address, writes);
    if (this.#isLearning || chunk === null || writes <= answered || isServed !== undefined)
      this.#sockets.delete(socket);
    else Object.assign(unanswered, { writes: writes - answered, sincePause: this.#pauses });
  }

  /** Notes that a server of this process has read a request of a client of this process, or writes to it. */
  #noteServer({ localPort, remotePort }: Socket, isServed: boolean): void {
    for (const [client, unanswered] of this.#sockets)
      if (client.remotePort === localPort && client.localPort === remotePort) {
        this.#own.add(unanswered.address);
        Object.assign(unanswered, { isServed, sincePause: this.#pauses });
      }
  }

  /** Ends the runs without acts at once. In these, one answer is for all that was written before it. */
  endLearning(): void {
    this.#isLearning = false;
  }

  note(): void {
    this.#activity++;
  }

  /** Addresses outside of this process that the app has written to. A local socket has none. */
  get outside(): string[] {
    return this.#foreign.filter((address) => !address.endsWith(":undefined")).sort();
  }

  get #foreign(): string[] {
    return [...this.#addresses.keys()].filter((address) => !this.#own.has(address));
  }

  /** The system did not end work of the app in time. What follows from it is not seen. */
  get hasGivenUp(): boolean {
    return this.#hasGivenUp;
  }

  /** The app has waited for the system, or written to another process, which does not take as long in every run. */
  get hasWaited(): boolean {
    return this.#hasWaitedForWork || this.#foreign.length > 0;
  }

  restore(): void {
    this.#hook.disable();
    for (const restore of this.#restores) restore();
    syncBuiltinESMExports();
  }

  get #isWaiting(): boolean {
    let isWaiting = false;
    for (const [id, { resource, isConnecting, sincePause }] of this.#work) {
      const isPending = !isSynchronousJob(resource);
      if (isPending && this.#pauses - sincePause < WORK_PAUSES) {
        isWaiting = true;
        this.#hasWaitedForWork ||= !isConnecting;
        continue;
      }
      this.#work.delete(id);
      this.#hasGivenUp ||= isPending;
    }
    if (isWaiting) return true;
    for (const [socket, { sincePause, isServed }] of this.#sockets) {
      if (isServed === true && !socket.destroyed) continue;
      if (!socket.destroyed && this.#pauses - sincePause < SOCKET_PAUSES * busyness()) return true;
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
      await (this.#pause ??= pause(1).finally(() => {
        this.#pauses++;
        this.#pause = undefined;
      }));
      calm = 0;
    }
  }
}
