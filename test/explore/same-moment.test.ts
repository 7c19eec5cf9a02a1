// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Answer, type CallService, foundIn, openApp } from "./apps.js";

/** Wall time for which a handler waits for another one between its read and its write. */
const WINDOW_MS = 400;

/** Makes a pause between a read and a write, which ends when another handler is there too. */
function makeWindow(): () => Promise<void> {
  let leave: (() => void) | undefined;
  return async () => {
    if (leave !== undefined) return leave();
    const met = new Promise<void>((resolve) => (leave = resolve));
    await Promise.race([met, pause(WINDOW_MS)]);
    leave = undefined;
  };
}

interface Withdrawal {
  readonly member: string;
  readonly reference: string;
  withdrawal_id?: string;
  status: string;
}

interface Faults {
  /** The handler of this call pauses between its read and its write. */
  readonly pauses?: "press" | "webhook" | "tick";
  /** A press only records the payout, and the job sends it. */
  readonly sendsInJob?: "once" | "at once";
  /** The balance is read before the first call to the service, and written after it. */
  readonly debitsLate?: boolean;
}

const WALLET = {
  type: "mobile_money",
  currency: "KES",
  provider: "simba_pesa",
  phone_number: "+254700000009",
};

/** A wallet of 1000.00 that is emptied to a phone; `paid` counts what the member was told of. */
const walletOf =
  ({ pauses, debitsLate = false, sendsInJob }: Faults) =>
  (call: CallService): Answer => {
    const wallets = new Map<string, { balance: number; paid: number }>();
    const withdrawals: Withdrawal[] = [];
    const window = makeWindow();
    const open = (member: string) => {
      const wallet = wallets.get(member) ?? { balance: 1000, paid: 0 };
      wallets.set(member, wallet);
      return wallet;
    };
    const makeDestination = async () => (await call("POST", "payouts/destinations", WALLET)).destination_id;
    const send = async (one: Withdrawal, destination_id: string) => {
      const terms = { destination_id, amount: "600.00", currency: "KES", reference: one.reference };
      const { withdrawal_id } = await call(
        "POST",
        "payouts/withdrawals",
        terms,
        sendsInJob === undefined ? one.reference : undefined,
      );
      one.withdrawal_id = withdrawal_id;
    };
    const press = async (member: string): Promise<readonly [number]> => {
      const wallet = open(member);
      const { balance } = wallet;
      if (balance < 600) return [409];
      if (pauses === "press") await window();
      const destination = debitsLate ? await makeDestination() : undefined;
      wallet.balance = balance - 600;
      const one = { member, reference: `${member}-${withdrawals.length}`, status: "open" };
      withdrawals.push(one);
      if (sendsInJob === undefined) await send(one, destination ?? (await makeDestination()));
      return [201];
    };
    const sendOpen = async () => {
      for (const one of withdrawals.filter(({ withdrawal_id }) => withdrawal_id === undefined)) {
        if (sendsInJob === "once") one.withdrawal_id = "sending";
        await send(one, await makeDestination());
      }
    };
    const learn = async (one: Withdrawal, by: Faults["pauses"]) => {
      const { status } = await call("GET", `payouts/withdrawals/${one.withdrawal_id}`);
      if (status !== "COMPLETED" || one.status !== "open") return;
      if (pauses === by) await window();
      one.status = "paid";
      open(one.member).paid += 1;
    };
    return async (route, body) => {
      const [, method, member = ""] = /^(GET|POST) \/wallets\/([^/]+)/.exec(route) ?? [];
      if (method === "POST") return press(member);
      if (method === "GET") return [200, open(member)];
      const heard = withdrawals.find(({ reference }) => reference === body?.data?.reference);
      if (heard !== undefined) await learn(heard, "webhook");
      if (route === "POST /tick" && sendsInJob !== undefined) await sendOpen();
      else if (route === "POST /tick")
        for (const one of withdrawals.filter(({ status }) => status === "open")) await learn(one, "tick");
      return [200];
    };
  };

const FLOW = `
name: withdrawal
vars: { member: "member-\${run.id}" }
steps:
  - request: POST /_sandbox/balances
    body: { currency: KES, amount: "5000.00" }
  - app: POST /wallets/\${member}/withdrawals
    expect: { status: 201 }
  - advance: 10s
  - app: GET /wallets/\${member}
    expect: { body: { balance: 400, paid: 1 } }
observe:
  - app: GET /wallets/\${member}
tick:
  - app: POST /tick
`;

const PRESS = "pressed_twice at POST /wallets/${member}/withdrawals#1";

it.concurrent.each<[string, Faults, only: string, message: string]>([
  [
    "reads a balance, pauses and writes it, as the customer presses twice",
    { pauses: "press" },
    PRESS,
    "paid out twice: 2 completed withdrawals, where a plain run has 1",
  ],
  [
    "reads a balance before its first call and writes it after, as the customer presses twice",
    { debitsLate: true },
    PRESS,
    "paid out twice: 2 completed withdrawals, where a plain run has 1",
  ],
  [
    "reads a payout, pauses and counts it, as its webhook arrives twice",
    { pauses: "webhook" },
    "webhook_twice_at_once at withdrawal.completed#1",
    "done more than once: body.paid is 2, not 1",
  ],
  [
    "reads a payout in its job, pauses and counts it, as its webhook arrives",
    { pauses: "tick" },
    "job_at_once at withdrawal.completed#1",
    "done more than once: body.paid is 2, not 1",
  ],
  [
    "reads a payout in its job, pauses and counts it, as the job runs twice",
    { pauses: "tick" },
    "job_twice at withdrawal.completed#1",
    "done more than once: body.paid is 2, not 1",
  ],
])("finds an app that %s", async (_, faults, only, message) => {
  const { report } = await foundIn(await openApp(walletOf(faults)), FLOW, { only });
  expect(report.findings).toMatchObject([{ oracle: "money", message }]);
});

it.concurrent.each([PRESS, "webhook_twice_at_once at withdrawal.completed#1"])(
  "finds nothing with %s in an app that reads and writes at once",
  async (only) => {
    const { report } = await foundIn(await openApp(walletOf({})), FLOW, { only });
    expect(report).toMatchObject({ passed: true, findings: [] });
  },
);

const SENT_BY_JOB = FLOW.replace("  - advance: 10s", "  - app: POST /tick\n$&");
const JOB_TWICE = "job_twice at POST /tick#1";

it.concurrent("finds an app whose job sends what another run of it is sending", async () => {
  const { report } = await foundIn(await openApp(walletOf({ sendsInJob: "at once" })), SENT_BY_JOB, {
    only: JOB_TWICE,
  });
  const message = "paid out twice: 2 completed withdrawals, where a plain run has 1";
  expect(report.findings).toMatchObject([{ oracle: "money", message }]);
});

it.concurrent("finds nothing in an app whose job marks what it sends", async () => {
  const { report } = await foundIn(await openApp(walletOf({ sendsInJob: "once" })), SENT_BY_JOB, {
    only: JOB_TWICE,
  });
  expect(report).toMatchObject({ passed: true, findings: [] });
});

it.concurrent("a press that is held at its first call shows what no hold at a later call shows", async () => {
  const { report } = await foundIn(await openApp(walletOf({ debitsLate: true })), FLOW, { only: PRESS });
  expect(report.findings).toMatchObject([{ oracle: "money", seen: { runs: 2, of: 2 } }]);
});
