import type { Change } from "../../engine/records.js";
import type { Namespace } from "../../namespace/namespace.js";
import type { JournalEntry } from "../../namespace/served-request.js";

/** What comes within so long goes as one message; no more than seven go in a second: who looks on waits no 200 ms. */
const GATHER_MS = 20;
const PAUSE_MS = 130;
/** What has changed beyond these is counted, and not named. */
const MOST_NAMED = 100;

const KINDS = {
  charges: "charge",
  withdrawals: "withdrawal",
  events: "event",
  deliveries: "delivery",
  endpoints: "receiver",
  faults: "fault",
  scenarios: "scenario",
  clock: "clock",
} as const;

interface Named {
  readonly kind: string;
  readonly id: string;
  readonly status: string | null;
}

interface News {
  readonly now: string;
  readonly counts: Record<string, number>;
  readonly items: readonly Named[];
}

/** Tells what has changed, gathered: each thing once, as it is by then. Returns how to stop. */
export function lightNews(namespace: Namespace, tell: (news: News) => void): () => void {
  let named = new Map<string, Named>();
  let counts: Record<string, number> = {};
  let isPlanned = false;
  let isOver = false;
  const flush = async (): Promise<void> => {
    if (!(await namespace.sleep(GATHER_MS)) || isOver) return;
    const items = [...named.values()].slice(0, MOST_NAMED);
    const news = { now: namespace.clock.view().now, counts, items };
    named = new Map();
    counts = {};
    tell(news);
    if (!(await namespace.sleep(PAUSE_MS)) || isOver) return;
    isPlanned = false;
    if (Object.keys(counts).length > 0) plan();
  };
  const plan = (): void => {
    if (isPlanned) return;
    isPlanned = true;
    void flush();
  };
  const note = (kind: string, id: string, status: string | null): void => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    plan();
    const key = `${kind} ${id}`;
    if (named.has(key) || named.size < MOST_NAMED) named.set(key, { kind, id, status });
  };
  const noteRequest = ({ id, status }: JournalEntry): void =>
    note("request", String(id), status === null ? null : String(status));
  const stop = namespace.subscribe({
    onChange: ({ puts }: Change) => {
      for (const [name, key, record] of puts) {
        if (Object.hasOwn(KINDS, name))
          note(KINDS[name as keyof typeof KINDS], String(key), statusOf(record));
      }
    },
    onArrival: noteRequest,
    onRequest: noteRequest,
    onReport: (name) => note("report", name, null),
  });
  return () => {
    isOver = true;
    stop();
  };
}

function statusOf(record: unknown): string | null {
  if (record === null) return "gone";
  const { status } = record as { readonly status?: unknown };
  return typeof status === "string" ? status : null;
}
