import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readIfExists } from "../../src/core/store/store-error.js";
import { yieldToEventLoop } from "../../src/core/time/wall-clock.js";
import type { Random } from "../simulation/random.js";
import { START } from "../support/api-client.js";
import type { Answer } from "../support/caller.js";
import { Command, isAlive } from "../support/process-command.js";
import { Client } from "../support/receiver-client.js";
import {
  type Collections,
  collectionsOf,
  differences,
  isRestored,
  isSame,
  type Kept,
  NOTHING,
  type Seen,
} from "./kept.js";
import { nextOperation, type Operation } from "./operations.js";

/** A namespace with its expected state and the pending call. */
interface Place {
  readonly name: string;
  kept: Kept;
  pending: { readonly operation: Operation; readonly answers: Answer[]; answer?: Answer } | undefined;
}

/** Number of clients, each with its own namespaces. */
const CALLERS = 6;
const NAMESPACES_EACH = 2;

/** Calls that write more than one line of the journal. */
const STEPS = /namespaces|snapshots|reset|state/;

/** True if keys and snapshots may change, too. */
function isWhole({ line }: Operation): boolean {
  return /namespaces|snapshots/.test(line);
}

/** A data folder whose process is killed repeatedly. */
export class Trial {
  /** Counts of the moments at which kills happened. */
  readonly tally = {
    kills: 0,
    startsKilled: 0,
    answers: 0,
    /** Calls without a response that took effect, and those that did not. */
    happened: 0,
    notHappened: 0,
    /** Kills during concurrent calls of which only some took effect. */
    inMidTurn: 0,
    /** Successes and refusals of each call. */
    calls: new Map<string, { done: number; refused: number }>(),
  };
  readonly #data: string;
  readonly #random: Random;
  readonly #places: Place[][];
  #exported: { readonly state: unknown; readonly collections: Collections } | undefined;

  constructor(data: string, random: Random) {
    this.#data = data;
    this.#random = random;
    const place = (name: string): Place => ({
      name,
      kept: { seen: NOTHING, snapshots: new Map() },
      pending: undefined,
    });
    this.#places = Array.from({ length: CALLERS }, (_, caller) =>
      Array.from({ length: NAMESPACES_EACH }, (_, index) =>
        place(caller + index === 0 ? "default" : `w${caller}-${index}`),
      ),
    );
  }

  /** Starts the process, checks its state, and kills it. */
  async live(): Promise<void> {
    const command = this.#start();
    if (this.#random.chance(0.15)) {
      await this.#killStarting(command);
      this.tally.startsKilled++;
      return;
    }
    const { client } = await this.#ready(command);
    await this.#audit(client);
    await this.#work(command, client);
    this.#checkStderr(command);
    this.tally.kills++;
  }

  /** Starts the process one last time and checks all data. */
  async end(): Promise<void> {
    const command = this.#start();
    const { client } = await this.#ready(command);
    await this.#audit(client);
    for (const place of this.#places.flat())
      for (const [name, held] of place.kept.snapshots) {
        const headers = { "sandbox-namespace": place.name };
        const line = `POST /_sandbox/snapshots/${name}/restore`;
        const { status } = await client.ask(`POST /_sandbox/snapshots/${name}/restore`, {}, headers);
        const now = await this.#look(client, place.name);
        if (status !== 200 || !held.some((one) => isRestored(now, one)))
          throw new Error(`${line} in ${place.name}: ${status}, and not what was saved`);
      }
    await command.stop();
    this.#checkStderr(command);
  }

  #start(): Command {
    const options = this.#random.chance(0.3) ? ["--fsync"] : [];
    return new Command([
      ...["start", "--json", "-p", "0", "--rate-limit", "off", "--clock", "manual"],
      ...["--start-time", START, "--seed", "kills", "--data", this.#data, ...options],
    ]);
  }

  async #ready(command: Command) {
    const { url } = await command.ready();
    return { client: Client.at(url) };
  }

  /** Kills the process at a random moment of its start. */
  async #killStarting(command: Command): Promise<void> {
    const lock = () => readIfExists(() => readFileSync(`${this.#data}.lock`, "utf8"));
    while (!lock()?.includes(String(command.pid)) && isAlive(command.pid)) await yieldToEventLoop();
    for (let turns = this.#random.int(0, 2_000); turns > 0; turns--) await yieldToEventLoop();
    await command.stop("SIGKILL");
    this.#checkStderr(command);
  }

  /** Makes calls until the process ends. */
  async #work(command: Command, client: Client): Promise<void> {
    const dieAt = this.tally.answers + this.#random.int(1, 60);
    const signal = this.#random.chance(0.1) ? "SIGTERM" : "SIGKILL";
    // Kills the process shortly after a response, or during a long call.
    const isAimed = this.#random.chance(0.6);
    let isDying = false;
    const dieSoon = (): void => {
      if (this.tally.answers < dieAt || isDying) return;
      isDying = true;
      const delayMs = this.#random.pick([0, 3, 10, 40]) * this.#random.next();
      setTimeout(() => command.signal(signal), delayMs);
    };
    const answered = (): void => {
      this.tally.answers++;
      if (!isAimed) dieSoon();
    };
    const call = async (place: Place): Promise<void> => {
      const operation = nextOperation({ ...place, exported: this.#exported }, this.#random);
      if (operation === undefined) return;
      const answers: Answer[] = [];
      place.pending = { operation, answers };
      const caller = operation.line.includes(" /_sandbox/namespaces") ? client : client.in(place.name);
      const { times = 1 } = operation;
      const sent = Array.from({ length: times }, async () => {
        const answer = await caller.ask(operation.line, operation.body);
        answers.push(answer);
        if (isAimed && times > 1) dieSoon();
      });
      if (isAimed && STEPS.test(operation.line)) dieSoon();
      for (const one of await Promise.allSettled(sent)) if (one.status === "rejected") throw one.reason;
      for (const answer of answers) {
        // During a shutdown the call may or may not have taken effect.
        if (isDying && answer.status !== 200 && signal === "SIGTERM") return;
        if (answer.status >= 500) throw new Unexpected(`${operation.line} in ${place.name}: ${answer.text}`);
        this.#count(operation, answer);
      }
      place.pending = { operation, answers, answer: answers.at(-1)! };
      answered();
      const now = await this.#look(client, place.name, isWhole(operation) ? undefined : place.kept.seen);
      if (isDying && !now.isThere && signal === "SIGTERM") return;
      this.#settle(place, now);
      answered();
    };
    let unexpected: Unexpected | undefined;
    const callers = this.#places.map(async (places) => {
      try {
        for (;;) {
          await call(this.#random.pick(places));
          if (isDying && signal === "SIGTERM") return;
        }
      } catch (error) {
        // Other errors are those of calls without a server.
        if (error instanceof Unexpected) unexpected = error;
        if (!isDying) command.signal("SIGKILL");
      }
    });
    await Promise.all(callers);
    const ended = await command.ended;
    if (unexpected !== undefined) throw unexpected;
    if (!isDying || (signal === "SIGTERM" && ended.code !== 0))
      throw new Error(`ended by itself (${ended.code}, ${ended.signal}): ${ended.stderr}`);
  }

  #count({ line }: Operation, { status }: Answer): void {
    const { calls } = this.tally;
    const kind = line.replace(/\/(w\d-\d|[a-z]+_\w{24}|one|two|three|mine-\d)/, "/{}");
    const count = calls.get(kind) ?? { done: 0, refused: 0 };
    calls.set(kind, count);
    count[status === 200 ? "done" : "refused"]++;
  }

  /** Checks that each namespace has its expected state. */
  async #audit(client: Client): Promise<void> {
    const { items } = (await client.ask("GET /_sandbox/namespaces?limit=100")).json;
    const names = new Set(items.map(({ name }: { name: string }) => name));
    const places = this.#places.flat();
    for (const name of names)
      if (!places.some((place) => place.name === name))
        throw new Error(`a namespace out of nowhere: ${name}`);
    for (const place of places)
      this.#settle(place, names.has(place.name) ? await this.#look(client, place.name) : NOTHING);
    this.#checkFiles();
  }

  #settle(place: Place, now: Seen): void {
    const { kept, pending } = place;
    const isSameAsBefore = isSame(kept.seen, now) || (place.name === "default" && !kept.seen.isThere);
    const answer = pending?.answer;
    const hasHappened =
      pending !== undefined &&
      (answer?.status ?? 200) === 200 &&
      pending.operation.happened(now, answer, pending.answers);
    // Acknowledged calls must have taken effect.
    const mustBe = pending?.answers.some(({ status }) => status === 200);
    const isRight = mustBe ? hasHappened : hasHappened || isSameAsBefore;
    if (!isRight) throw new Unexpected(complaint(place, now));
    if (pending !== undefined && answer === undefined)
      this.tally[isSameAsBefore ? "notHappened" : "happened"]++;
    if (pending?.operation.times !== undefined && answer === undefined && (mustBe || !isSameAsBefore))
      this.tally.inMidTurn++;
    const snapshots = hasHappened ? pending.operation.snapshots?.(answer !== undefined) : undefined;
    place.pending = undefined;
    place.kept = { seen: now, snapshots: snapshots ?? kept.snapshots };
  }

  /** @param known earlier state, whose constant parts are not read again */
  async #look(client: Client, name: string, known?: Seen): Promise<Seen> {
    const headers = { "sandbox-namespace": name };
    const state = await client.ask("GET /_sandbox/state", undefined, headers);
    if (state.status === 404) return NOTHING;
    if (state.status !== 200) throw new Unexpected(`GET /_sandbox/state of ${name}: ${state.text}`);
    const collections = collectionsOf(state.json);
    if (this.#random.chance(0.1)) this.#exported = { state: state.json, collections };
    if (known !== undefined) return { ...known, collections };
    const info = await client.ask(`GET /_sandbox/namespaces/${name}`);
    const snapshots = await client.ask("GET /_sandbox/snapshots", undefined, headers);
    return {
      isThere: true,
      apiKey: info.json.api_key,
      collections,
      snapshots: snapshots.json.items.map((one: { name: string }) => one.name).sort(),
    };
  }

  /** Checks that every file belongs to an existing namespace. */
  #checkFiles(): void {
    const data = basename(this.#data);
    const folder = dirname(this.#data);
    for (const file of readdirSync(folder)) {
      const [, name = "default", ending] = /^(?:\.ns-([^.]*))?(.*)$/.exec(file.slice(data.length))!;
      const place = this.#places.flat().find((one) => one.name === name);
      const isOurs = ["", ".journal", ".lock", ".snapshots", ".identity"].includes(ending!);
      if (!isOurs || !place?.kept.seen.isThere) throw new Error(`a file out of nowhere: ${file}`);
      if (ending !== ".snapshots") continue;
      const found = readdirSync(join(folder, file)).sort();
      const known = place.kept.seen.snapshots.map((one) => `${one}.json`).sort();
      if (found.join() !== known.join()) throw new Error(`${file} holds ${found}, and not ${known}`);
    }
  }

  /** Checks that standard error reports at most an unfinished change. */
  #checkStderr({ stderr }: Command): void {
    const lines = stderr
      .split("\n")
      .filter((line) => line !== "" && !line.includes("a change that was never finished"));
    if (lines.length > 0) throw new Error(`said: ${lines.join("\n")}`);
  }
}

class Unexpected extends Error {}

function complaint({ name, kept, pending }: Place, now: Seen): string {
  const call =
    pending === undefined
      ? "nothing"
      : `${pending.operation.line} ${JSON.stringify(pending.operation.body)?.slice(0, 200)}`;
  const answer =
    pending?.answer === undefined
      ? "not answered"
      : `${pending.answer.status} ${pending.answer.text.slice(0, 500)}`;
  return [
    `${name} after ${call} (${answer}):`,
    `there ${kept.seen.isThere} | ${now.isThere}, key ${kept.seen.apiKey} | ${now.apiKey}`,
    `snapshots ${kept.seen.snapshots} | ${now.snapshots}`,
    ...differences(kept.seen.collections, now.collections).slice(0, 20),
  ].join("\n");
}
