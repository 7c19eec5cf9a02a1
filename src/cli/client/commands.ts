import { Argument, type Command } from "commander";
import { anyGlobMatches } from "../../domain/glob.js";
import { nearest } from "../../schema/nearest.js";
import { own } from "../../schema/own.js";
import { UserError } from "../../schema/user-error.js";
import { shellQuoted } from "../shell.js";
import { say, tellLine } from "../terminal.js";
import { Connection, type ConnectionFlags } from "./connection.js";
import { printJson, printList, printRecord } from "./output.js";

interface Row {
  readonly usage: string;
  readonly about: string;
  readonly example: string;
  /** What its argument `verb` or `what` may be. */
  readonly verbs?: readonly string[];
  readonly options?: readonly (readonly [flags: string, help: string])[];
  run(
    connection: Connection,
    flags: ConnectionFlags & Record<string, string | boolean | undefined>,
    words: string[],
  ): Promise<void>;
}

const CHARGE_VERBS: Readonly<Record<string, string>> = {
  complete: "COMPLETED",
  fail: "FAILED",
  cancel: "CANCELLED",
  expire: "EXPIRED",
  refund: "REFUNDED",
};
const CHARGE_FIELDS = [
  "charge_id",
  "status",
  "amount",
  "currency",
  "payment_method",
  "customer_email",
  "created_at",
];

function knownWord(known: readonly string[], command: string, word: string): string {
  if (known.includes(word)) return word;
  const near = nearest(word, known);
  throw new UserError(
    `${command} has no ${word}${near === undefined ? "." : `; did you mean ${near}?`} It has: ${known.join(", ")}`,
  );
}

function need(value: string | undefined, what: string): string {
  if (value === undefined) throw new UserError(`${what} is missing`);
  return value;
}

/** `a.b=value` pairs; what reads as JSON is JSON, the rest is text. */
function assignments(pairs: unknown): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const pair of (pairs as string[] | undefined) ?? []) {
    const at = pair.indexOf("=");
    if (at < 1) throw new UserError(`${JSON.stringify(pair)} is not path=value`);
    const path = pair.slice(0, at).split(".");
    let place = result;
    for (const key of path.slice(0, -1)) {
      const known = own(place, key);
      const inner = typeof known === "object" && known !== null ? (known as Record<string, unknown>) : {};
      define(place, key, inner);
      place = inner;
    }
    const text = pair.slice(at + 1);
    let value: unknown = text;
    try {
      value = JSON.parse(text);
      // An amount is text, however much it looks like a number.
      if (typeof value === "number") value = text;
    } catch {
      value = text;
    }
    define(place, path.at(-1)!, value);
  }
  return result;
}

/** By any name: an assignment would take `__proto__` for something else. */
function define(place: object, key: string, value: unknown): void {
  Object.defineProperty(place, key, { value, enumerable: true, configurable: true, writable: true });
}

const text = encodeURIComponent;

/** Every command that speaks to a running sandbox, a row a command. */
export const CLIENT_COMMANDS: readonly Row[] = [
  {
    usage: "status",
    about: "what the running sandbox is and holds",
    example: "payments-sandbox status",
    async run(connection, flags) {
      const info = await connection.call("GET", "/_sandbox");
      if (flags.json) return printJson(info);
      const clock = info.clock as Record<string, unknown>;
      printRecord(flags, {
        url: connection.url,
        version: info.version,
        namespace: info.namespace,
        "api key": info.api_key,
        "webhook secret": info.webhook_secret,
        seed: info.seed,
        clock: `${clock.mode}, now ${clock.now}, next due ${clock.next_due ?? "nothing"}`,
        ...(info.counts as object),
      });
    },
  },
  {
    usage: "trigger <type>",
    about: "a new webhook event, for an existing charge or a sample of one",
    example: "payments-sandbox trigger charge.completed --charge last",
    options: [
      ["--charge <selector>", "the charge it is about: an id, last, email:a@b"],
      ["--set <path=value...>", "what its data says otherwise (repeatable)"],
      ["--mode <mode>", "test or live, without a charge"],
      ["--force", "a type of your own, with no data but what is set"],
    ],
    async run(connection, flags, [type]) {
      const charge = flags.charge === undefined ? undefined : await connection.charge(String(flags.charge));
      const data = assignments(flags.set);
      const event = await connection.call("POST", "/_sandbox/events", {
        type,
        ...(charge === undefined ? {} : { charge_id: charge.charge_id }),
        ...(Object.keys(data).length === 0 ? {} : { data }),
        ...(flags.mode === undefined ? {} : { mode: flags.mode }),
        ...(flags.force ? { force: true } : {}),
      });
      printRecord(flags, event, ["event_id", "type", "at", "deliveries"]);
      if (event.deliveries === 0 && !flags.json)
        say(
          `nobody hears it: no endpoint of ${event.mode} mode takes ${event.type}; add one with: payments-sandbox webhook add URL\n`,
        );
    },
  },
  {
    usage: "webhook <verb> [target]",
    about: "list | add URL | redeliver [last|ID] | retry [last|ID] | pull --forward-to URL",
    example: "payments-sandbox webhook redeliver last --times 2",
    verbs: ["list", "add", "redeliver", "retry", "pull"],
    options: [
      ["--times <number>", "redeliver: how often"],
      ["--forward-to <url>", "pull: where the app is"],
      ["--once", "pull: stop when there is nothing left"],
      ["--events <glob...>", "add: which events"],
      ["--mode <mode>", "add: test or live"],
      ["--secret <secret>", "add: what to sign with"],
    ],
    async run(connection, flags, [verb, target]) {
      const { pull, redeliver, retry } = await import("./webhook.js");
      switch (verb) {
        case "list":
          return printList(flags, await connection.call("GET", "/_sandbox/webhook-endpoints"), [
            "webhook_id",
            "url",
            "mode",
            "events",
            "enabled",
          ]);
        case "add": {
          const { events, mode, secret } = flags;
          const endpoint = await connection.call("POST", "/_sandbox/webhook-endpoints", {
            url: need(target, "the URL"),
            ...(events === undefined ? {} : { events }),
            ...(mode === undefined ? {} : { mode }),
            ...(secret === undefined ? {} : { secret }),
          });
          return printRecord(flags, endpoint, ["webhook_id", "url", "mode", "secret"]);
        }
        case "redeliver":
          return printList(flags, await redeliver(connection, target ?? "last", Number(flags.times ?? 1)), [
            "delivery_id",
            "event_id",
            "type",
            "url",
          ]);
        case "retry":
          return printRecord(flags, await retry(connection, target ?? "last"), [
            "delivery_id",
            "event_id",
            "type",
            "url",
          ]);
        default:
          return pull(connection, need(flags.forwardTo as string | undefined, "--forward-to URL"), {
            once: flags.once === true,
            report: (line) => say(`${line}\n`),
          });
      }
    },
  },
  {
    usage: "clock [verb] [argument]",
    about: "what time it is; advance DUR | to ISO | next | idle | freeze | resume | speed N",
    example: "payments-sandbox clock advance 30m",
    verbs: ["advance", "to", "next", "idle", "freeze", "resume", "speed"],
    async run(connection, flags, words) {
      const { moveClock } = await import("./time.js");
      const answer = await moveClock(connection, words);
      if (flags.json) return printJson(answer);
      if (answer.fired_total === undefined)
        return printRecord(flags, answer, ["mode", "speed", "now", "next_due"]);
      say(`${answer.from} → ${answer.to}, ${answer.fired_total} fired\n`);
    },
  },
  {
    usage: "reset",
    about: "back to the initial state; webhooks and keys stay",
    example: "payments-sandbox reset --repeat-ids",
    options: [
      ["--keep <what...>", "webhooks, keys, scenarios"],
      ["--repeat-ids", "start ids over, byte for byte"],
    ],
    async run(connection, flags) {
      const info = await connection.call("POST", "/_sandbox/reset", {
        ...(flags.keep === undefined ? {} : { keep: flags.keep }),
        ...(flags.repeatIds ? { ids: "repeat" } : {}),
      });
      if (flags.json) return printJson(info);
      say(`namespace ${info.namespace} is as it was at the start\n`);
    },
  },
  {
    usage: "snapshot <verb> [name]",
    about: "save | restore | list | delete NAME",
    example: "payments-sandbox snapshot save before-checkout",
    verbs: ["save", "restore", "list", "delete"],
    async run(connection, flags, [verb, name]) {
      if (verb === "list")
        return printList(flags, await connection.call("GET", "/_sandbox/snapshots"), ["name", "at"]);
      const named = need(name, "the snapshot's name");
      if (verb === "save")
        return printRecord(flags, await connection.call("POST", "/_sandbox/snapshots", { name: named }));
      if (verb === "delete")
        return printRecord(flags, await connection.call("DELETE", `/_sandbox/snapshots/${text(named)}`));
      const info = await connection.call("POST", `/_sandbox/snapshots/${text(named)}/restore`);
      if (flags.json) return printJson(info);
      say(`namespace ${info.namespace} is as it was when ${named} was saved\n`);
    },
  },
  {
    usage: "namespace <verb> [name]",
    about: "list | add [NAME] | delete NAME",
    example: "payments-sandbox namespace add worker-1",
    verbs: ["list", "add", "delete"],
    async run(connection, flags, [verb, name]) {
      switch (verb) {
        case "list":
          return printList(flags, await connection.call("GET", "/_sandbox/namespaces"), [
            "name",
            "api_key",
            "charges",
          ]);
        case "add":
          return printRecord(
            flags,
            await connection.call("POST", "/_sandbox/namespaces", name === undefined ? {} : { name }),
            ["name", "api_key", "live_api_key", "webhook_secret"],
          );
        default:
          return printRecord(
            flags,
            await connection.call(
              "DELETE",
              `/_sandbox/namespaces/${text(need(name, "the namespace's name"))}`,
            ),
          );
      }
    },
  },
  {
    usage: "charges",
    about: "the charges, newest first",
    example: "payments-sandbox charges --status PENDING --email ada@example.com",
    options: [
      ["--status <status>", "only of this status"],
      ["--email <address>", "only of this customer"],
      ["--limit <number>", "how many"],
    ],
    async run(connection, flags) {
      const query = new URLSearchParams();
      if (flags.status !== undefined) query.set("status", String(flags.status));
      if (flags.email !== undefined) query.set("customer_email", String(flags.email));
      if (flags.limit !== undefined) query.set("limit", String(flags.limit));
      printList(flags, await connection.call("GET", `/_sandbox/charges?${query}`), CHARGE_FIELDS);
    },
  },
  {
    usage: "charge <selector> [verb]",
    about: "one charge (an id, last, email:a@b); complete | fail | cancel | expire | refund it",
    example: "payments-sandbox charge last fail --reason insufficient_funds",
    verbs: Object.keys(CHARGE_VERBS),
    options: [["--reason <text>", "why"]],
    async run(connection, flags, [selector, verb]) {
      const charge = await connection.charge(selector!);
      if (verb === undefined)
        return printRecord(flags, charge, [
          ...CHARGE_FIELDS,
          "settlement_amount",
          "failure_reason",
          "provider_reference",
          "expires_at",
        ]);
      const to = CHARGE_VERBS[verb];
      const moved = await connection.call("POST", `/_sandbox/charges/${charge.charge_id}/transition`, {
        to,
        ...(flags.reason === undefined ? {} : { reason: flags.reason }),
      });
      printRecord(flags, moved, CHARGE_FIELDS);
    },
  },
  {
    usage: "checkout <selector> <verb>",
    about: "do what the customer does on the hosted page: pay | cancel",
    example: "payments-sandbox checkout last pay --method card",
    verbs: ["pay", "cancel"],
    options: [
      ["--method <id>", "pay: the payment method"],
      ["--currency <code>", "pay: the currency"],
      ["--phone <number>", "pay: for mobile money"],
    ],
    async run(connection, flags, [selector, verb]) {
      const id = selector!.startsWith("co_") ? selector! : (await connection.charge(selector!)).checkout_id;
      const { method, currency, phone } = flags;
      const body =
        verb === "cancel"
          ? {}
          : {
              payment_method: need(method as string | undefined, "--method ID"),
              ...(currency === undefined ? {} : { currency }),
              ...(phone === undefined ? {} : { phone_number: phone }),
            };
      printRecord(
        flags,
        await connection.call("POST", `/_sandbox/checkouts/${text(id)}/${verb}`, body),
        CHARGE_FIELDS,
      );
    },
  },
  {
    usage: "scenario <verb> [name]",
    about: "list | use NAME | drop NAME",
    example: "payments-sandbox scenario use declined",
    verbs: ["list", "use", "drop"],
    async run(connection, flags, [verb, name]) {
      if (verb === "list")
        return printList(flags, await connection.call("GET", "/_sandbox/scenarios?limit=100"), [
          "name",
          "active",
        ]);
      const path = `/_sandbox/scenarios/${text(need(name, "the scenario's name"))}`;
      const answer = await connection.call("POST", `${path}/${verb === "use" ? "activate" : "deactivate"}`);
      printRecord(flags, answer, ["name", "active"]);
    },
  },
  {
    usage: "fault <verb> [rule]",
    about: "list | add RULE (as JSON) | clear",
    example: `payments-sandbox fault add '{"match":{"operation":"createWhitelabel"},"respond":{"status":500},"times":1}'`,
    verbs: ["list", "add", "clear"],
    async run(connection, flags, [verb, rule]) {
      switch (verb) {
        case "list":
          return printList(flags, await connection.call("GET", "/_sandbox/faults"), [
            "fault_id",
            "match",
            "respond",
            "delay",
            "drop",
            "applied",
          ]);
        case "add": {
          let parsed: unknown;
          try {
            parsed = JSON.parse(need(rule, "the rule"));
          } catch (error) {
            if (error instanceof UserError) throw error;
            throw new UserError("the rule is not valid JSON");
          }
          return printRecord(flags, await connection.call("POST", "/_sandbox/faults", parsed));
        }
        default:
          return printRecord(flags, await connection.call("DELETE", "/_sandbox/faults"));
      }
    },
  },
  {
    usage: "requests",
    about: "what the app sent and got, newest first",
    example: "payments-sandbox requests --status 4xx",
    options: [
      ["--operation <glob>", "only of this operation"],
      ["--status <status>", "only with this status, such as 400 or 4xx"],
      ["--limit <number>", "how many"],
    ],
    async run(connection, flags) {
      const query = new URLSearchParams();
      for (const name of ["operation", "status", "limit"] as const)
        if (flags[name] !== undefined) query.set(name, String(flags[name]));
      printList(flags, await connection.call("GET", `/_sandbox/requests?${query}`), [
        "at",
        "method",
        "path",
        "operation",
        "status",
        "fault",
      ]);
    },
  },
  {
    usage: "events",
    about: "the webhook events, newest first; with --follow as they come",
    example: "payments-sandbox events --follow",
    options: [
      ["-f, --follow", "go on until interrupted"],
      ["--type <glob>", "only of this type"],
      ["--limit <number>", "how many"],
    ],
    async run(connection, flags) {
      if (flags.follow) {
        const { follow } = await import("./follow.js");
        return follow(connection, (name, data) => {
          if (name === "missed") tellLine(`${data.count} messages of the stream came too fast to be shown`);
          if (name !== "event") return;
          if (flags.type !== undefined && !anyGlobMatches(String(flags.type), String(data.type))) return;
          if (flags.json) printJson(data);
          else
            say(
              `${data.at}  ${String(data.type).padEnd(24)}  ${data.charge_id ?? data.withdrawal_id ?? ""}\n`,
            );
        });
      }
      const query = new URLSearchParams();
      for (const name of ["type", "limit"] as const)
        if (flags[name] !== undefined) query.set(name, String(flags[name]));
      printList(flags, await connection.call("GET", `/_sandbox/events?${query}`), [
        "at",
        "type",
        "event_id",
        "charge_id",
        "withdrawal_id",
      ]);
    },
  },
  {
    usage: "wait <what>",
    about: "until the sandbox is ready, a charge is there, or nothing is due: ready | charge | idle",
    example: "payments-sandbox wait charge --match customer_email=ada@example.com --match status=COMPLETED",
    verbs: ["ready", "charge", "idle"],
    options: [
      ["--match <field=value...>", "charge: what it must say (repeatable)"],
      ["--timeout <duration>", "how long at most (default 30s)"],
    ],
    async run(connection, flags, [what]) {
      const timeout = String(flags.timeout ?? "30s");
      if (what === "ready") {
        const { untilReady } = await import("./ready.js");
        await untilReady(connection, timeout);
        return printRecord(flags, { ready: true, url: connection.url });
      }
      const answer = await connection.call("POST", "/_sandbox/wait", {
        for: what,
        ...(what === "charge" ? { match: assignments(flags.match) } : {}),
        timeout,
      });
      printRecord(flags, answer, what === "charge" ? CHARGE_FIELDS : undefined);
    },
  },
  {
    usage: "env",
    about: "the variables an app needs, to be read by a shell or written to a file",
    example: 'eval "$(payments-sandbox env --format shell)"',
    options: [["--format <format>", "dotenv (default), shell or github"]],
    async run(connection, flags) {
      const info = await connection.call("GET", "/_sandbox");
      const values = {
        PAYMENTS_BASE_URL: connection.url,
        PAYMENTS_API_KEY: String(info.api_key),
        PAYMENTS_WEBHOOK_SECRET: String(info.webhook_secret),
        PAYMENTS_SANDBOX_URL: connection.url,
      };
      if (flags.json) return printJson(values);
      const format = knownWord(
        ["dotenv", "shell", "github"],
        "env --format",
        String(flags.format ?? "dotenv"),
      );
      const line = (name: string, value: string): string =>
        format === "shell" ? `export ${name}=${shellQuoted(value)}` : `${name}=${value}`;
      const lines = Object.entries(values).map(([name, value]) => `${line(name, value)}\n`);
      if (format === "github" && process.env.GITHUB_ENV !== undefined) {
        const { appendFileSync } = await import("node:fs");
        appendFileSync(process.env.GITHUB_ENV, lines.join(""));
      } else say(lines.join(""));
    },
  },
];

/** Adds them to the program, each with the options they all share. */
export function addClientCommands(root: Command): void {
  for (const { usage, about, example, verbs = [], options = [], run } of CLIENT_COMMANDS) {
    const [name, ...words] = usage.split(" ");
    const command = root.command(name!).description(about);
    for (const word of words) command.addArgument(argument(word, name!, verbs));
    for (const [flags, help] of options) command.option(flags, help);
    command
      .option("--url <url>", "the running sandbox (default: PAYMENTS_SANDBOX_URL, else the default port)")
      .option("--namespace <name>", "the namespace to speak to")
      .option("--control-token <value>", "what the control API asks for")
      .option("--json", "print the answer as JSON")
      .addHelpText("after", `\nExample:\n  ${example}`)
      .action(async (...given: unknown[]) => {
        const flags = given.at(-2) as ConnectionFlags & Record<string, string | boolean | undefined>;
        const words = given.slice(0, -2).filter((word): word is string => typeof word === "string");
        await run(new Connection(flags), flags, words);
      });
  }
}

/** The argument that stands for a verb is checked before anything is asked of a server. */
function argument(word: string, command: string, verbs: readonly string[]): Argument {
  const made = new Argument(word);
  if (made.name() !== "verb" && made.name() !== "what") return made;
  return made.choices(verbs).argParser((given) => knownWord(verbs, command, given));
}
