import type { Charge } from "../domain/charge.js";
import { addTo, type Group, keysOf, removeFrom } from "./indexes.js";

/** Words are put together by so many of their first letters. */
const PREFIX = 3;
/** So many charges are taken in with a search: all of them at once would keep the first one waiting. */
const SLICE = 500;

/** What a charge is found by. */
function textsOf(charge: Charge): (string | null)[] {
  return [
    charge.charge_id,
    charge.checkout_id,
    charge.quote_id,
    charge.provider_reference,
    charge.customer_email,
    charge.customer_name,
    ...Object.values(charge.metadata),
  ];
}

/** Runs of letters and digits, in small letters; of an id, what is behind its prefix is a run of its own. */
function piecesOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/**
 * The charges there are by the words in them: those that begin alike stand together, so that a search looks at what
 * begins as it does and at nothing else. None of what a charge is found by ever changes. Those that were there before
 * are looked at one by one until searches have taken them in.
 */
export class WordIndex {
  readonly #charges: ReadonlyMap<string | number, Charge>;
  readonly #byPrefix = new Map<string, Map<string, Group>>();
  /** Not taken in yet. */
  readonly #rest: Map<string | number, Charge>;

  constructor(charges: ReadonlyMap<string | number, Charge>) {
    this.#charges = charges;
    this.#rest = new Map(charges);
  }

  /** A charge was put, replaced or taken away. */
  note(before: Charge | undefined, after: Charge | undefined): void {
    if (before !== undefined && after === undefined && !this.#rest.delete(before.charge_id))
      for (const word of wordsOf(before)) this.#remove(word, before.charge_id);
    if (before === undefined && after !== undefined) this.#takeIn(after);
  }

  #takeIn(charge: Charge): void {
    for (const word of wordsOf(charge)) this.#add(word, charge.charge_id);
  }

  #takeInSome(): void {
    let left = SLICE;
    for (const [id, charge] of this.#rest) {
      if (left-- === 0) break;
      this.#takeIn(charge);
      this.#rest.delete(id);
    }
  }

  #add(word: string, id: string): void {
    const prefix = word.slice(0, PREFIX);
    let words = this.#byPrefix.get(prefix);
    if (words === undefined) this.#byPrefix.set(prefix, (words = new Map()));
    addTo(words, word, id);
  }

  #remove(word: string, id: string): void {
    const words = this.#byPrefix.get(word.slice(0, PREFIX));
    if (words !== undefined) removeFrom(words, word, id);
  }

  /** The charges that have each of the words asked for, newest first. */
  search(asked: string): Charge[] {
    const words = asked
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    const pieces = words.flatMap(piecesOf);
    if (pieces.length === 0) return [];
    this.#takeInSome();
    const [rarest] = pieces.map((piece) => [...this.#beginning(piece)]).sort((a, b) => sizeOf(a) - sizeOf(b));
    const found = new Set([...(rarest ?? []).flatMap(keysOf), ...this.#rest.keys()]);
    return [...found]
      .map((key) => this.#charges.get(key)!)
      .filter((charge) => hasAll(charge, words))
      .sort((a, b) => b.seq - a.seq);
  }

  *#beginning(piece: string): Generator<Group> {
    const prefix = piece.slice(0, PREFIX);
    const places =
      piece.length < PREFIX ? [...this.#byPrefix.keys()].filter((one) => one.startsWith(piece)) : [prefix];
    for (const place of places)
      for (const [word, group] of this.#byPrefix.get(place) ?? []) if (word.startsWith(piece)) yield group;
  }
}

function sizeOf(groups: readonly Group[]): number {
  return groups.reduce<number>((sum, group) => sum + keysOf(group).length, 0);
}

function wordsOf(charge: Charge): Set<string> {
  return new Set(textsOf(charge).flatMap((text) => piecesOf(text ?? "")));
}

/** Whether each word begins somewhere in it, with all that is in it besides letters. */
function hasAll(charge: Charge, words: readonly string[]): boolean {
  const text = textsOf(charge).join("\n").toLowerCase();
  return words.every((word) => beginsIn(text, word));
}

function beginsIn(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{M}\p{N}]/u.test(text[at - 1]!) || !/^[\p{L}\p{M}\p{N}]/u.test(word))
      return true;
  return false;
}
