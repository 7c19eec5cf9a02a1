import { failureOf } from "../../domain/mishap.js";
import type { Attempt, Delivery, Mishap } from "../../engine/records.js";
import { type Habit, Recent } from "./habit.js";

const SLOW_ANSWER_MS = 5_000;
/** So many attempts without a good answer are no accident. */
const ONLY_FAILS = 2;

const isGood = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;
const isRedirect = ({ status }: Attempt): boolean => status !== null && status >= 300 && status < 400;
const placeOf = ({ delivery_id }: Delivery, { at }: Attempt): string => `${delivery_id} at ${at}`;

const isBadlySigned = ({ bad_signature, stale_ms, unsigned = false }: Mishap): boolean =>
  bad_signature || stale_ms > 0 || unsigned;

/** A good receiver refuses it, or never saw it: a scenario made it so. */
function isMishap({ mishap }: Delivery, { attempt, at }: Attempt): boolean {
  if (mishap === null) return false;
  return mishap.by_hand || isBadlySigned(mishap) || failureOf(mishap, attempt, Date.parse(at)) !== null;
}

export const WEBHOOKS: readonly Habit[] = [
  {
    id: "webhooks_failing",
    advice: "Respond to each webhook with 2xx: any other is retried for a while, then given up.",
    why: "a receiver rejected every webhook",
    watch(notes, scene) {
      const receivers = new Recent(() => ({ failed: 0, isGood: false }));
      return {
        onAttempt(attempt, delivery) {
          const receiver = receivers.of(delivery.webhook_id);
          if (receiver.isGood || isRedirect(attempt) || isMishap(delivery, attempt)) return;
          if (isGood(attempt)) {
            if (receiver.failed >= ONLY_FAILS) notes.undo(1);
            receiver.isGood = true;
            return;
          }
          if (++receiver.failed < ONLY_FAILS) return;
          const example = `${receiver.failed} of ${receiver.failed} attempts at ${scene.receiverName(delivery.webhook_id)} failed, last ${placeOf(delivery, attempt)}: ${attempt.status ?? attempt.error}`;
          notes[receiver.failed === ONLY_FAILS ? "found" : "more"](example);
        },
      };
    },
  },
  {
    id: "webhooks_unverified",
    advice: "Verify each webhook's signature and age before you trust it.",
    why: "a webhook that was not signed as it should be was taken",
    watch: (notes) => ({
      onAttempt(attempt, delivery) {
        const { mishap } = delivery;
        if (mishap === null || !isGood(attempt) || !isBadlySigned(mishap)) return;
        const what = mishap.unsigned
          ? "not signed"
          : mishap.bad_signature
            ? "badly signed"
            : "signed long ago";
        notes.found(`${placeOf(delivery, attempt)}: ${what}, answered ${attempt.status}`);
      },
    }),
  },
  {
    id: "webhooks_late",
    advice: "Respond to a webhook at once and do the work afterwards.",
    why: "webhooks got a late response",
    watch: (notes) => ({
      onAttempt(attempt, delivery) {
        if (attempt.duration_ms > SLOW_ANSWER_MS) notes.found(placeOf(delivery, attempt));
      },
    }),
  },
  {
    id: "webhooks_redirected",
    advice: "Respond to a webhook with 2xx; redirects are not followed.",
    why: "webhooks got a redirect",
    watch: (notes) => ({
      onAttempt(attempt, delivery) {
        if (isRedirect(attempt)) notes.found(placeOf(delivery, attempt));
      },
    }),
  },
];
