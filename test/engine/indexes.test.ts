import fc from "fast-check";
import { expect, it } from "vitest";
import type { Collections, RecordPut } from "../../src/core/engine/records.js";
import { State } from "../../src/core/engine/state.js";

type Withdrawal = Collections["withdrawals"];

const STATUSES = ["PENDING", "PROCESSING", "COMPLETED"] as const;

function buildWithdrawal(seq: number, mode: "test" | "live", status: Withdrawal["status"]): Withdrawal {
  return { withdrawal_id: `wd_${seq}`, seq, mode, status, organization_id: `org_${seq % 2}` } as Withdrawal;
}

/** Generates writes and removals of withdrawals. */
const stepArb = fc.record({
  seq: fc.nat(600),
  mode: fc.constantFrom("test" as const, "live" as const),
  status: fc.constantFrom(...STATUSES, null),
});
const pageArb = fc.tuple(fc.nat(620), fc.oneof(fc.nat(40), fc.constant(Number.POSITIVE_INFINITY)));

it("a list by status returns the same as a scan of all records", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(0, 30, 600),
      fc.array(stepArb, { maxLength: 120 }),
      fc.array(pageArb, { minLength: 1, maxLength: 4 }),
      (filled, steps, pages) => {
        const state = new State();
        const modes = new Map<number, "test" | "live">();
        const put = (seq: number, status: Withdrawal["status"] | null, mode: "test" | "live") => {
          // The mode of a record never changes.
          if (!state.get("withdrawals", `wd_${seq}`)) modes.set(seq, mode);
          const record = status === null ? null : buildWithdrawal(seq, modes.get(seq)!, status);
          const puts: RecordPut[] = [["withdrawals", `wd_${seq}`, record]];
          state.apply({ seq: state.seq + 1, at: 0, puts, counters: {} });
        };
        for (let seq = 0; seq < filled; seq++) put(seq, STATUSES[seq % 7 === 0 ? 1 : 0], "test");
        for (const { seq, mode, status } of steps) put(seq, status, mode);

        const records = [...state.tables.withdrawals.values()].sort((a, b) => b.seq - a.seq);
        const filters = [
          ({ mode, status }: Withdrawal) => mode === "test" && status === "PENDING",
          ({ status }: Withdrawal) => status !== "COMPLETED",
        ];
        const owned = records.filter(
          ({ mode, organization_id }) => mode === "test" && organization_id === "org_1",
        );
        for (const [offset, limit] of pages) {
          const slice = (all: Withdrawal[]) => all.slice(offset, offset + limit);
          expect(state.page("withdrawals", "withdrawals", offset, limit)).toEqual(slice(records));
          expect(state.page("withdrawals", "withdrawals|test|org_1", offset, limit)).toEqual(slice(owned));
          for (const isListed of filters) {
            const listed = records.filter(isListed);
            expect(state.pageOfKinds("withdrawals", isListed, offset, limit)).toEqual({
              total: listed.length,
              items: slice(listed),
            });
          }
          const oldest = state.oldestOf("withdrawals", limit).map(([, record]) => record);
          expect(oldest).toEqual(records.toReversed().slice(0, limit));
        }
        expect([state.count("withdrawals"), state.count("withdrawals", "withdrawals|test|org_1")]).toEqual([
          records.length,
          owned.length,
        ]);
      },
    ),
  );
});
