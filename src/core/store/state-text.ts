import type { FrozenState } from "../engine/frozen-state.js";

/** Text is handed on in pieces of about this many characters: each is made and written in a millisecond or two. */
const PIECE_CHARS = 1 << 18;

/** The JSON text, a record a line: readable and fit for diff, and never one string as long as the file. */
export function* piecesOf(state: FrozenState): Generator<string> {
  let piece = "";
  for (const part of partsOf(state)) {
    piece += part;
    if (piece.length >= PIECE_CHARS) {
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

function* partsOf({ collections, ...head }: FrozenState): Generator<string> {
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
