import type { FrozenState, NamespaceRecord, StateDump } from "../engine/records.js";

/** Begins the namespace's record in an encoded state. No record contains it, because JSON escapes line breaks. */
export const NAMESPACE_MARK = '"namespace": [\n';

/** Characters per piece; encoding a piece takes a millisecond or two. */
const PIECE_CHARS = 1 << 18;

/** Encodes a state as JSON, one record per line for diffs. Pieces avoid a string as long as the whole file. */
export function* encodeState(state: FrozenState): Generator<string> {
  let piece = "";
  for (const part of encodeParts(state)) {
    piece += part;
    if (piece.length >= PIECE_CHARS) {
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

function* encodeParts({ collections, ...head }: FrozenState): Generator<string> {
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "collections": {`;
  let nameSeparator = "\n";
  for (const [name, entries] of Object.entries(collections)) {
    yield `${nameSeparator}    ${JSON.stringify(name)}: [`;
    let separator = "\n";
    for (const entry of entries) {
      yield `${separator}      ${JSON.stringify(entry)}`;
      separator = ",\n";
    }
    yield entries.length === 0 ? "]" : "\n    ]";
    nameSeparator = ",\n";
  }
  yield "\n  }\n}\n";
}

/** @param end the encoded state from `NAMESPACE_MARK` to its end */
export function decodeNamespaceRecord(end: string): NamespaceRecord {
  const { collections } = JSON.parse(`{"collections": {${end}`) as Pick<StateDump, "collections">;
  return collections.namespace[0]![1];
}
