import { CHARGE_MOVES, DECIMALS } from "../support/contract.js";
import { decimalText } from "../support/fraction.js";
import type { Receiver } from "../support/receiver-server.js";
import { ACTORS, type Actor, as } from "./audit.js";
import type { Answer, Client, Json } from "./client.js";
import { demand, demandSame } from "./failure.js";
import type { Ground } from "./ground.js";
import type { Charge, Model, State, Withdrawal } from "./model.js";
import type { Random } from "./random.js";

/** A sandbox's client, the model of its state, and random numbers. */
export interface World {
  readonly namespace: string;
  readonly client: Client;
  readonly model: Model;
  readonly ground: Ground;
  readonly random: Random;
  readonly receivers: { readonly moody: Receiver; readonly gone: Receiver; readonly nobody: string };
  /** Initial state of the model, for resets. */
  readonly initial: State;
  readonly snapshots: Map<string, State>;
  readonly destinations: Map<string, { actor: Actor; currency: string; type: string }>;
  /** Destinations of the whole run, including those that a restore removed. */
  readonly destinationTypes: Map<string, string>;
  /** All ids of the run: a reset must not reuse them. */
  readonly ids: Set<string>;
  /** True after a reset with `ids: repeat`, which may reuse ids. */
  mayRepeat: boolean;
  counter: number;
  /** Other namespaces; a running clock moves their time too. */
  readonly neighbours: World[];
}

export function expectOk(answer: Answer): Json {
  demand(answer.status === 200, "answer", () => `200 was expected, not ${answer.status} ${answer.text}`);
  return answer.json;
}

/** Checks for an error with that status and code. */
export function expectRefused(answer: Answer, status: number, code: string, field?: string): void {
  demandSame("answer", "a refusal", [answer.status, answer.json?.error?.code], [status, code]);
  demand(typeof answer.json.error.message === "string", "answer", () => `no message: ${answer.text}`);
  if (field !== undefined)
    demand(field in (answer.json.error.details ?? {}), "answer", () => `no details.${field}: ${answer.text}`);
}

export function expectInvalid(answer: Answer, field: string): void {
  expectRefused(answer, 400, "VALIDATION_ERROR", field);
}

/** Statuses that a manual transition may request. */
export const STATUSES = [...CHARGE_MOVES.PENDING!, "REFUNDED"];

export function actorOf(world: World): Actor {
  return world.random.pick([ACTORS[0]!, ACTORS[0]!, ...ACTORS]);
}

export function ownerOf({ mode, org }: Charge | Withdrawal): Actor {
  return ACTORS.find((one) => one.mode === mode && one.org === org)!;
}

/** Returns a random amount with valid decimals. */
export function amountIn(world: World, currency: string, from: number, to: number): string {
  const decimals = DECIMALS[currency]!;
  const units =
    BigInt(world.random.int(from, to)) * 10n ** BigInt(decimals) + BigInt(world.random.int(0, 99));
  return decimalText(units, decimals);
}

export function post(
  world: World,
  actor: Actor,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) {
  return world.client.act("POST", `/api/v1${path}`, body, { ...as(actor), ...headers });
}

export function control(world: World, method: string, path: string, body?: unknown): Promise<Answer> {
  return world.client.act(method, `/_sandbox${path}`, body);
}

/** Records the id; fails when it was used before. */
export function noteId(world: World, id: string): void {
  demand(world.mayRepeat || !world.ids.has(id), "ids", () => `${id} was given out before`);
  world.ids.add(id);
}

export function anyCharge(world: World): Charge | undefined {
  const all = [...world.model.state.charges.values()];
  return all.length === 0 ? undefined : world.random.pick(all.slice(-25));
}
