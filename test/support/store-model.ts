import { decodeChange } from "../../src/core/engine/encode-change.js";
import type { Change, RecordReader, StateDump } from "../../src/core/engine/records.js";
import { State } from "../../src/core/engine/state.js";
import type { Store } from "../../src/core/engine/store.js";
import { COLLECTION_NAMES } from "../../src/core/schema/records/collection-names.js";
import { FileStore } from "../../src/core/store/file-store.js";

/** A reader without records, so that changes are encoded whole. */
export const none: RecordReader = { get: () => undefined };

/** An independent model of the state. */
export interface Model {
  seq: number;
  rates: Map<string, string>;
}

export function change(seq: number, rate = `${seq}`, code = `C${seq}`): Change {
  return { seq, at: seq * 1000, puts: [["rates", code, { code, rate }]], counters: { n: seq } };
}

export function dumpOf({ seq, rates }: Model): StateDump {
  return {
    version: 1,
    seq,
    at: seq * 1000,
    counters: { n: seq },
    collections: {
      ...(Object.fromEntries(
        COLLECTION_NAMES.map((name) => [name, []]),
      ) as unknown as StateDump["collections"]),
      rates: [...rates].map(([code, rate]) => [code, { code, rate }] as const),
    },
  };
}

export function modelOf(loaded: ReturnType<Store["load"]>): Model {
  const model: Model = {
    seq: loaded?.snapshot?.seq ?? 0,
    rates: new Map(loaded?.snapshot?.collections.rates.map(([code, { rate }]) => [String(code), rate])),
  };
  for (const { seq, puts } of loaded?.changes ?? []) {
    for (const [, code, record] of puts) model.rates.set(String(code), (record as { rate: string }).rate);
    model.seq = seq;
  }
  return model;
}

/** Returns the model after changes 1 to seq. */
export function upTo(seq: number): Model {
  return { seq, rates: new Map(Array.from({ length: seq }, (_, i) => [`C${i + 1}`, `${i + 1}`])) };
}

/** Returns the state in the files as JSON. */
export function stateAt(where: string): string {
  const store = new FileStore({ file: where });
  const loaded = store.load()!;
  try {
    const state = State.from(loaded.snapshot!);
    for (const change of loaded.changes) state.apply(decodeChange(change, state));
    return JSON.stringify(state.dump());
  } finally {
    store.close();
  }
}
