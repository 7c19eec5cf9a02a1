import fc from "fast-check";
import { expect, it } from "vitest";
import { Emitter } from "../../src/core/engine/emitter.js";
import {
  MAX_JOURNALED_BODY_BYTES,
  RequestJournal,
  type ServedRequest,
  truncateBody,
} from "../../src/core/namespace/request-journal.js";

const NEVER = { atMs: 0, wallMs: 0 };
const MB = 1024 * 1024;

const request = (requestBody: string | null, responseBody: string | null = null): ServedRequest => ({
  method: "POST",
  url: "http://sandbox/api/v1/payments/quotes",
  path: "/api/v1/payments/quotes",
  operation: "createQuote",
  // Without a response there is nothing to compare with the document.
  status: null,
  hasClientDisconnected: false,
  apiKey: null,
  requestBody,
  responseBody,
  errorCode: null,
  idempotencyKey: null,
  scenario: null,
  fault: null,
});
const nobody = () =>
  new Emitter((error) => {
    throw error;
  });

const piece = fc.constantFrom("a", "ä", "€", "😀", "\ud83d", '"', "\n");
const piecesArb = fc.array(piece, { minLength: 1, maxLength: 7 });
const moreArb = fc.integer({ min: -20, max: 20_000 });

it("a body is cut at 64 kB, between characters", () => {
  fc.assert(
    fc.property(piecesArb, fc.nat(3), moreArb, (pieces, lead, more) => {
      const unit = pieces.join("");
      const times = Math.ceil((MAX_JOURNALED_BODY_BYTES + more) / Buffer.byteLength(unit));
      // As received over the wire.
      const sent = Buffer.from("x".repeat(lead) + unit.repeat(times)).toString();
      const bytes = Buffer.byteLength(sent);
      const cut = truncateBody(sent);
      expect(cut === undefined).toBe(bytes <= MAX_JOURNALED_BODY_BYTES);
      if (cut === undefined) return;
      expect(cut.bytes).toBe(bytes);
      const mark = `… [cut: ${bytes} bytes in all]`;
      const kept = cut.text.slice(0, -mark.length);
      expect(kept + mark === cut.text && sent.startsWith(kept)).toBe(true);
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(MAX_JOURNALED_BODY_BYTES);
      expect(Buffer.byteLength(kept)).toBeGreaterThan(MAX_JOURNALED_BODY_BYTES - 4);
    }),
  );
});

const texts = [0, 1, 20_000, MAX_JOURNALED_BODY_BYTES, MAX_JOURNALED_BODY_BYTES + 1].map((size) =>
  "x".repeat(size),
);
const kept = (text: string | null) => Math.min(text?.length ?? 0, MAX_JOURNALED_BODY_BYTES + 100);

it("keeps the newest calls up to the limit and 64 MB", () => {
  const bodyArb = fc.option(fc.constantFrom(...texts));
  const runArb = fc.array(fc.tuple(bodyArb, bodyArb, fc.integer({ min: 1, max: 400 })), { maxLength: 8 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), runArb, (limit, runs) => {
      const journal = new RequestJournal({ requests: limit, bytes: 64 * MB }, nobody());
      const sizes: number[] = [];
      for (const [sent, got, times] of runs)
        for (let n = 0; n < times; n++) {
          journal.add(request(sent, got), NEVER);
          sizes.push(kept(sent) + kept(got));
        }
      const entries = journal.entries();
      expect(entries.map(({ id }) => id)).toEqual(entries.map((_entry, index) => sizes.length - index));
      const total = entries.reduce(
        (sum, { requestBody, responseBody }) =>
          sum + (requestBody?.length ?? 0) + (responseBody?.length ?? 0),
        0,
      );
      expect(total).toBeLessThanOrEqual(64 * MB);
      expect(entries.length).toBeLessThanOrEqual(limit);
      // Nothing is dropped early.
      const next = sizes.at(-1 - entries.length);
      if (next !== undefined && entries.length < limit)
        expect(total + next + 2_000 * (entries.length + 1)).toBeGreaterThan(64 * MB);
    }),
    { numRuns: 8 },
  );
});

it("a cleared request log starts empty", () => {
  const journal = new RequestJournal({ requests: 3, bytes: 64 * MB }, nobody());
  for (let n = 0; n < 5; n++) journal.add(request("a"), NEVER);
  journal.clear();
  expect(journal.entries()).toEqual([]);
  journal.add(request("b"), NEVER);
  expect(journal.entries()).toMatchObject([{ id: 1, requestBody: "b" }]);
});
