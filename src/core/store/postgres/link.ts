import pg from "pg";
import { StorageUnavailableError } from "../../schema/refusals.js";

/** SQLSTATEs that count as an unreachable database, such as a deadlock (40) or an expired lease (23503). */
const AWAY = /^(08|23503|25006|40|53|55P03|57|58)/;

/** One connection to the database, opened by the first query, and reopened by the next query after a failure. */
export class DatabaseConnection {
  readonly #pool: pg.Pool;

  /** @param timeoutMs limit of a query and of the wait for the connection; a slower database counts as unreachable */
  constructor(url: string, schema: string, timeoutMs: number) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
      application_name: "payments-sandbox",
      onConnect: async (client) => void (await client.query(`set search_path to "${schema}"`)),
    });
    this.#pool.on("error", (error) => this.onLost(error));
  }

  /** Called if an idle connection breaks; the next query opens another one. */
  protected onLost(_error: Error): void {}

  /**
   * @param name name of a prepared statement
   * @throws StorageUnavailableError if the server does not answer; the query may have been carried out
   */
  async query<Row = object>(text: string, values?: unknown[], name?: string): Promise<Row[]> {
    try {
      return (await this.#pool.query({ text, values, name })).rows as Row[];
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      // An error of the system, such as EPIPE, has a code of its own kind.
      if (error instanceof pg.DatabaseError && !AWAY.test(code ?? "")) throw error;
      throw new StorageUnavailableError(`the database does not answer: ${message || code}`, { cause: error });
    }
  }

  /** Closes the connection after the current query. The server then rolls an open transaction back. */
  close(): Promise<void> {
    return this.#pool.end();
  }
}
