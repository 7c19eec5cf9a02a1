import pg from "pg";
import { afterEach, expect, it, vi } from "vitest";
import { StorageUnavailableError } from "../../src/core/schema/refusals.js";
import { DatabaseConnection } from "../../src/core/store/postgres/commits.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns the error that the storage reports when a query fails. */
async function errorOfQuery(cause: Error): Promise<unknown> {
  vi.spyOn(pg.Pool.prototype, "query").mockRejectedValue(cause as never);
  const connection = new DatabaseConnection("postgres://127.0.0.1:1/none", "s", 1_000);
  return connection.query("select 1").catch((error: unknown) => error);
}

it.each(["EPIPE", "EBADF", "ECONNRESET", undefined])(
  "the system error %s means that the database is unreachable",
  async (code) => {
    const error = await errorOfQuery(Object.assign(new Error("write failed"), { code }));
    expect(error).toBeInstanceOf(StorageUnavailableError);
  },
);

it.each([
  ["57P01", true],
  ["40001", true],
  ["42601", false],
  ["XX000", false],
])("the SQLSTATE %s means that the database is unreachable: %s", async (code, isAway) => {
  const cause = Object.assign(new pg.DatabaseError("refused", 7, "error"), { code });
  expect((await errorOfQuery(cause)) instanceof StorageUnavailableError).toBe(isAway);
});
