import type { Delivery } from "../../../../engine/records.js";
import type { Namespace } from "../../../../namespace/namespace.js";
import { answerOf } from "../attention.js";

const PATIENCE_MS = 3_000;
const LOOK_EVERY_MS = 50;

/** Waits for what is true in a moment; not for ever. */
async function isSoon(namespace: Namespace, isThere: () => boolean): Promise<void> {
  namespace.settle();
  for (let waited = 0; waited < PATIENCE_MS && !isThere(); waited += LOOK_EVERY_MS)
    await namespace.sleep(LOOK_EVERY_MS);
}

/** What has become of a delivery, as far as it can be told in a moment. */
export async function outcomeOf(namespace: Namespace, id: string): Promise<string> {
  const find = () => namespace.engine.state.get("deliveries", id);
  const before = find()?.attempts.length ?? 0;
  const isTried = (one: Delivery | undefined) => (one?.attempts.length ?? 0) > before;
  await isSoon(namespace, () => {
    const delivery = find();
    return delivery === undefined || isTried(delivery) || namespace.holdOf(delivery) !== null;
  });
  const delivery = find();
  if (delivery === undefined || !isTried(delivery))
    return (delivery && namespace.holdOf(delivery)?.reason) ?? "Sent; no response yet";
  const last = delivery.attempts.at(-1)!;
  const took = `${Math.round(last.duration_ms)} ms`;
  if (delivery.status === "delivered") return `Delivered: ${last.status} in ${took}`;
  return `Failed again: ${last.status ?? last.error} in ${took}`;
}

/** What has become of new deliveries, those with the same response together: `3 × 200, 1 × 500`. */
export async function outcomesOf(namespace: Namespace, ids: readonly string[]): Promise<string> {
  if (ids.length === 1) return outcomeOf(namespace, ids[0]!);
  const all = () =>
    ids.flatMap((id) => {
      const delivery = namespace.engine.state.get("deliveries", id);
      return delivery === undefined ? [] : [delivery];
    });
  await isSoon(namespace, () => all().every(({ status }) => status !== "pending"));
  const counts = new Map<string, number>();
  for (const delivery of all()) counts.set(answerOf(delivery), (counts.get(answerOf(delivery)) ?? 0) + 1);
  return `Sent ${ids.length} times: ${[...counts].map(([answer, many]) => `${many} × ${answer}`).join(", ")}`;
}
