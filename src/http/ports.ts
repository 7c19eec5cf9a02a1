import type { Engine } from "../engine/engine.js";
import type { Command } from "../engine/transaction.js";
import type { Refusal } from "../schema/errors.js";
import type { KeyFixture } from "../schema/fixtures.js";

import type { ClockSetting } from "../schema/options.js";

/** What the HTTP layer needs of a namespace. The composition root wires it to the runtime. */
export interface World {
  readonly name: string;
  /** For reading; writes go through `execute`. */
  readonly engine: Engine;
  nowMs(): number;
  /** The key as this namespace knows it. */
  findKey(key: string): KeyFixture | undefined;
  keys(): readonly KeyFixture[];
  /** What is due by now happens first, then the command, at this moment. */
  execute<Result>(command: Command<Result>): Result;
  /** What is due by now happens now: called before every read. */
  settle(): void;
  /** What links carry, without a slash at the end; undefined: the address a request came to. */
  readonly publicUrl: string | undefined;
  /** Undefined when there is no limit. */
  readonly rates: RatePort | undefined;
  readonly clock: ClockPort;
  readonly info: WorldInfo;
  reset(request: ResetRequest): Refusal | undefined;
}

/** The keys and the secret a person needs to use a namespace. */
export interface WorldInfo {
  readonly apiKey: string;
  readonly liveApiKey: string;
  readonly webhookSecret: string;
  readonly seed: string;
}

export interface RatePort {
  hit(
    key: string,
    nowMs: number,
  ): {
    readonly limited: boolean;
    readonly limit: number;
    readonly remaining: number;
    readonly resetSeconds: number;
  };
}

export interface ClockView {
  readonly mode: string;
  readonly speed: number;
  readonly now: string;
  readonly next_due: string | null;
  readonly advancing: boolean;
}

export interface ClockRequest {
  readonly setting: ClockSetting | undefined;
  /** Leap to this time first. */
  readonly nowMs: number | undefined;
}

export type AdvanceRequest = { readonly toMs: number } | { readonly until: "next" | "idle" };

export interface AdvanceReply {
  readonly from: string;
  readonly to: string;
  readonly fired: readonly unknown[];
  readonly fired_total: number;
}

export interface ClockPort {
  view(): ClockView;
  set(request: ClockRequest): Promise<Refusal | undefined>;
  advance(request: AdvanceRequest): Promise<AdvanceReply | Refusal>;
  /** Resolves when no advance is under way, or when so much wall time has passed. */
  idle(timeoutMs: number): Promise<void>;
}

export interface ResetRequest {
  readonly keep: readonly ("webhooks" | "keys" | "scenarios")[];
  readonly repeatIds: boolean;
}

/** All namespaces of a server, and which one a request means. */
export interface Worlds {
  readonly version: string;
  /** The default namespace's time, for answers that concern none. */
  nowMs(): number;
  /** By the `Sandbox-Namespace` header, else by the API key, else the default one. */
  find(header: string | null, apiKey: string | null): World | undefined;
}
