import { expect, it } from "vitest";
import type {
  CallChange,
  CallPlace,
  Deviable,
  Failure,
  ObservedCharge,
  RunPlan,
  Trace,
  WebhookChange,
  WebhookPlace,
} from "../../src/tools/explore/deviable.js";
import { explore } from "../../src/tools/explore/explore.js";

const CHARGE: ObservedCharge = {
  id: "ch_1",
  status: "COMPLETED",
  email: "ada@shop.test",
  metadata: {},
  history: [{ status: "COMPLETED", atMs: 2_000 }],
  isAutomatic: false,
  createdMs: 1_000,
  endedMs: 1_000,
};

class FakePlan implements RunPlan {
  readonly calls: string[] = [];
  readonly webhooks: string[] = [];
  deviateCall({ operation, before }: CallPlace, change: CallChange): void {
    this.calls.push(`${operation}#${before + 1} ${JSON.stringify(change)}`);
  }
  deviateWebhook({ type, before }: WebhookPlace, change: WebhookChange): void {
    this.webhooks.push(`${type}#${before + 1} ${JSON.stringify(change)}`);
  }
  press(): void {}
  payLate(): void {}
  cancelThenPay(): void {}
  moveTime(): void {}
  runJob(): void {}
}

/** A service without any transport, and an app that pays again when a response is lost and delivers once per webhook. */
class FakeDeviable implements Deviable {
  readonly name = "order";
  readonly source = "order.yaml";
  readonly customer = { press: undefined, isOnPage: false };
  readonly saved: FakePlan[] = [];
  isClosed = false;

  async observePlain(): Promise<Trace> {
    return this.#run(new FakePlan());
  }

  isolationReason(): string {
    return "the fake has one customer";
  }

  doubts(): string[] {
    return [];
  }

  planRun(): FakePlan {
    return new FakePlan();
  }

  async observe(plans: readonly FakePlan[]): Promise<Trace[]> {
    return plans.map((plan) => this.#run(plan));
  }

  save(plan: FakePlan, description: string): string {
    this.saved.push(plan);
    return description;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  #run({ calls, webhooks }: FakePlan): Trace {
    const isLost = calls.some((call) => call.includes('"after"'));
    const delivered = webhooks.some((webhook) => webhook.includes("copies")) ? 2 : 1;
    const call = {
      operation: "createWhitelabel",
      method: "POST",
      status: isLost ? null : 201,
      atMs: 1_000,
      isByFlow: false,
      isOwn: true,
      isDeviated: calls.length > 0,
      createdId: "ch_1",
      readId: undefined,
    };
    const delivery = {
      object_id: "ch_1",
      event_id: "evt_1",
      type: "charge.completed",
      attempts: [{ status: 200, atMs: 2_000, durationMs: 1, isLost: false }],
      atMs: 2_000,
    };
    return {
      hasReachedApp: true,
      observed: {
        calls: isLost ? [call, { ...call, status: 201, createdId: "ch_2" }] : [call],
        deliveries: [delivery],
        charges: isLost ? [CHARGE, { ...CHARGE, id: "ch_2" }] : [CHARGE],
        withdrawals: [],
      },
      failure: isLost
        ? failed("paid", "count", 2)
        : delivered > 1
          ? failed("observe", "body.delivered", delivered)
          : undefined,
    };
  }
}

function failed(role: Failure["role"], path: string, got: number): Failure {
  const differences = [{ path, expected: 1, got }];
  return { isIncomplete: false, role, title: "a check", message: "differs", isCallToApp: false, differences };
}

it("searches and judges runs of any service that can deviate", async () => {
  const deviable = new FakeDeviable();
  const report = await explore(async () => deviable, { depth: 2, lanes: 4 });
  const found = report.findings.map(({ deviations: [deviation], message }) => [
    `${deviation!.kind} ${deviation!.at}`,
    message,
  ]);
  const twice = "done more than once: body.delivered is 2, not 1";
  expect(found).toEqual([
    ["answer_lost createWhitelabel#1", "paid twice: 2 completed charges for one order"],
    ["webhook_twice charge.completed#1", twice],
    ["webhook_twice_at_once charge.completed#1", twice],
  ]);
  expect(report.findings[0]?.file).toBe(
    "paid twice: 2 completed charges for one order; createWhitelabel#1: it is done, and its response is lost",
  );
  expect(report).toMatchObject({ passed: false, complete_depth: 2, choices: 9 });
  expect(report.notes).toEqual(["one lane: the fake has one customer"]);
  expect(report.saved.holds_a_failing_set).toBeGreaterThan(0);
  // The saved plan repeats the race more often than the search does.
  expect(deviable.saved.map(({ calls, webhooks }) => [...calls, ...webhooks])).toEqual([
    ['createWhitelabel#1 {"drop":"after"}'],
    ['charge.completed#1 {"copies":2}'],
    ['charge.completed#1 {"copies":10,"at_once":true}'],
  ]);
  expect(deviable.isClosed).toBe(true);
});
