import type { Sandbox } from "../../sandbox.js";
import { SandboxError } from "../../schema/sandbox-error.js";
import { UserError } from "../../schema/user-error.js";
import { openInBrowser } from "../browser.js";
import { paint } from "../paint.js";

/** What keys act on. */
export interface Desk {
  readonly sandbox: Sandbox;
  /** With its token; undefined where the control API is closed. */
  readonly dashboard: string | undefined;
  readonly quit: () => void;
  readonly say: (text: string) => void;
}

interface Key {
  readonly says: string;
  /** Has to be pressed twice, for it cannot be taken back; what is said the first time. */
  readonly asks?: string;
  /** What is said when it is done. */
  readonly press: (desk: Desk) => Promise<string | undefined> | string | undefined;
}

interface Leap {
  readonly to: string;
  readonly fired_total: number;
}

/** Every key, a row a key, in the order of the hint. */
const KEYS: Readonly<Record<string, Key>> = {
  a: { says: "+10 s", press: ({ sandbox }) => advance(sandbox, { by: "10s" }) },
  h: { says: "+1 h", press: ({ sandbox }) => advance(sandbox, { by: "1h" }) },
  n: { says: "next due", press: ({ sandbox }) => advance(sandbox, { until: "next" }) },
  d: { says: "dashboard", press: ({ dashboard }) => showDashboard(dashboard) },
  r: {
    says: "reset",
    asks: "Press r again to reset: all charges and events are deleted, webhooks and keys are kept.",
    press: async ({ sandbox }) => {
      await sandbox.reset();
      return 'namespace "default" reset (kept: webhooks, keys)';
    },
  },
  q: {
    says: "quit",
    press: ({ quit }) => {
      quit();
      return undefined;
    },
  },
};

/** One line that says which keys there are. */
export function keysHint(): string {
  const keys = Object.entries(KEYS).map(([key, { says }]) => `${paint("bold", key)} ${paint("dim", says)}`);
  return `  ${paint("dim", "Keys:")} ${keys.join(paint("dim", " · "))}\n`;
}

/** What a pressed key does. */
export function keyPresses(desk: Desk): (key: string) => void {
  let asked: string | undefined;
  return (pressed) => {
    const name = pressed.toLowerCase();
    const key = Object.hasOwn(KEYS, name) ? KEYS[name] : undefined;
    if (key === undefined) {
      asked = undefined;
      desk.say(pressed === "\r" ? "\n" : keysHint());
      return;
    }
    if (key.asks !== undefined && asked !== name) {
      asked = name;
      desk.say(line(key.asks));
      return;
    }
    asked = undefined;
    void carryOut(key, desk);
  };
}

async function carryOut(key: Key, desk: Desk): Promise<void> {
  try {
    const done = await key.press(desk);
    if (done !== undefined) desk.say(line(done));
  } catch (error) {
    if (!(error instanceof SandboxError || error instanceof UserError)) throw error;
    desk.say(line(error.message));
  }
}

function line(text: string): string {
  return `  ${paint("cyan", text)}\n`;
}

async function advance(sandbox: Sandbox, target: object): Promise<string> {
  const before = await sandbox.control<{ now: string; next_due: string | null }>("GET /_sandbox/clock");
  if ("until" in target && before.next_due === null) return "nothing is due";
  const { to, fired_total } = await sandbox.control<Leap>("POST /_sandbox/clock/advance", target);
  const steps = `${fired_total} step${fired_total === 1 ? "" : "s"} ran`;
  return `${"by" in target ? `advanced ${target.by}` : "advanced"} to ${to}; ${steps}`;
}

function showDashboard(url: string | undefined): string {
  if (url === undefined)
    return "the control API is closed, the dashboard too; --control-token generate opens it";
  openInBrowser(url);
  return url;
}
