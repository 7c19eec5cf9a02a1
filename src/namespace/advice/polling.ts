import { iso } from "../../schema/time.js";
import { isWithoutBackoff } from "./backoff.js";
import { type ChargeRead, type Habit, type Notes, Recent, requestAt, type Scene } from "./habit.js";
import { Pauses } from "./pauses.js";

const BALANCE_POLL_MS = 10_000;
const POLL_LIMIT_MS = 15 * 60_000;
/** So many reads of the same, at so many milliseconds from one to the next, are a loop. */
const LOOP_READS = 10;
const LOOP_PAUSE_MS = 250;
/** A pace shows in so many pauses, if there is one. */
const MOST_PAUSES = 50;

/** A habit of reading a charge. */
function ofReading<Kept extends object>(
  says: Pick<Habit, "id" | "advice" | "why">,
  begin: () => Kept,
  onRead: (charge: Kept, read: ChargeRead, notes: Notes, scene: Scene) => void,
): Habit {
  return {
    ...says,
    watch: (notes, scene) => ({
      reading: { begin, onRead: (kept, read) => onRead(kept as Kept, read, notes, scene) },
    }),
  };
}

export const POLLING: readonly Habit[] = [
  {
    id: "balances_too_often",
    advice: "Read balances at most every 10 seconds; 30 to 60 are enough.",
    why: "balances were read again too soon",
    watch(notes, scene) {
      const accounts = new Recent(() => ({ pauses: new Pauses(), asOf: -1 }));
      // What has been asked for since changes them: looking before and after it is no polling.
      let writes = 0;
      return {
        onRequest(entry) {
          if (entry.method !== "GET") writes++;
          if (entry.operation !== "getBalances") return;
          const name = scene.accountOf(entry.apiKey);
          if (name === undefined) return;
          const account = accounts.of(name);
          const pause = account.pauses.next(entry, scene);
          if (pause !== undefined && pause < BALANCE_POLL_MS && account.asOf === writes)
            notes.found(requestAt(entry));
          account.asOf = writes;
        },
      };
    },
  },
  ofReading(
    {
      id: "tight_loop",
      advice: "Wait for the webhook, and poll at growing intervals besides.",
      why: "a charge was read in a loop without a pause",
    },
    () => ({ answer: "", times: [0], reads: 0 }),
    (charge, { id, entry, pause }, notes) => {
      const isSame = pause !== undefined && charge.answer === entry.responseBody;
      charge.answer = entry.responseBody ?? "";
      const { times } = charge;
      if (!isSame) times.length = 0;
      else if (times.length === LOOP_READS) times.shift();
      times.push(isSame ? times.at(-1)! + pause : 0);
      const span = times.at(-1)! - times[0]!;
      const isLoop = times.length === LOOP_READS && span < (LOOP_READS - 1) * LOOP_PAUSE_MS;
      if (!isLoop) return;
      const isFirst = charge.reads === 0;
      charge.reads = isFirst ? LOOP_READS : charge.reads + 1;
      const { reads } = charge;
      notes[isFirst ? "found" : "more"](() => `${reads} reads of ${id} in a row`);
    },
  ),
  ofReading(
    {
      id: "no_backoff",
      advice: "Poll a charge at growing intervals.",
      why: "a charge was polled at the same pace",
    },
    () => ({ lengths: [] as number[], reads: 0, isTold: false }),
    (charge, { id, pause }, notes, scene) => {
      charge.reads++;
      // Reads at one instant of a clock that stands are no pace.
      if (!charge.isTold && pause !== undefined && (pause > 0 || scene.clock.runs))
        charge.lengths = [...charge.lengths, pause].slice(-MOST_PAUSES);
      const wasTold = charge.isTold;
      charge.isTold ||= isWithoutBackoff(charge.lengths);
      if (charge.isTold) notes[wasTold ? "more" : "found"](`${charge.reads} reads of ${id}`);
    },
  ),
  ofReading(
    {
      id: "polled_too_long",
      advice: "Stop polling a charge after 10 to 15 minutes.",
      why: "a charge was polled for longer",
    },
    () => ({ polledMs: 0 }),
    (charge, { id, entry, pause }, notes) => {
      // Whoever pauses for longer than polling may last has not polled, but come back.
      if (pause === undefined || pause > POLL_LIMIT_MS) return;
      const wasTooLong = charge.polledMs > POLL_LIMIT_MS;
      charge.polledMs += pause;
      if (charge.polledMs > POLL_LIMIT_MS)
        notes[wasTooLong ? "more" : "found"](`${id} at ${iso(entry.atMs)}`);
    },
  ),
];
