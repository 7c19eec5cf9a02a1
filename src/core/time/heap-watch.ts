import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Live bytes on V8's heap and their limit, `--max-old-space-size`. */
export interface HeapUse {
  readonly liveBytes: number;
  readonly limitBytes: number;
}

export interface HeapWatch {
  /** Collects garbage, which takes about a second per GB, and measures the memory that is still in use. */
  measure(): HeapUse;
  close(): void;
}

const MB = 1024 * 1024;
/** V8's limit includes three semispaces of 16 MB, or 64 MB since V8 13. */
const NEW_SPACE_BYTES = 3 * (Number.parseInt(process.versions.v8, 10) >= 13 ? 64 : 16) * MB;

/** Reports the heap after each major collection; at other times the share of garbage is unknown. */
export function watchHeap(note: (use: HeapUse) => void): HeapWatch {
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isMajor)) note(heapUse());
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

function isMajor(collection: PerformanceEntry & { readonly detail?: { readonly kind?: number } }): boolean {
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
