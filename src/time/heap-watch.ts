import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What is alive on V8's heap, and how much may be: `--max-old-space-size`. */
export interface HeapUse {
  readonly liveBytes: number;
  readonly limitBytes: number;
}

export interface HeapWatch {
  /** Collects all garbage, which takes about a second a GB, and measures what is left. */
  measure(): HeapUse;
  close(): void;
}

const MB = 1024 * 1024;
/** V8's own limit counts three semispaces too, which hold what is new: 16 MB each, and 64 from its version 13 on. */
const NEW_SPACE_BYTES = 3 * (Number.parseInt(process.versions.v8, 10) >= 13 ? 64 : 16) * MB;

/** Tells what is alive after each whole collection: at any other moment nobody knows what of the heap is garbage. */
export function watchHeap(note: (use: HeapUse) => void): HeapWatch {
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isWhole)) note(heapUse());
  });
  observer.observe({ entryTypes: ["gc"] });
  return {
    measure() {
      collectGarbage();
      return heapUse();
    },
    close: () => observer.disconnect(),
  };
}

function isWhole(collection: PerformanceEntry & { readonly detail?: { readonly kind?: number } }): boolean {
  return collection.detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

function heapUse(): HeapUse {
  const spaces = getHeapSpaceStatistics().filter(({ space_name }) => space_name !== "new_space");
  const limitBytes = getHeapStatistics().heap_size_limit - NEW_SPACE_BYTES;
  return { liveBytes: spaces.reduce((sum, space) => sum + space.space_used_size, 0), limitBytes };
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  collect();
}
