import pg from "pg";
import { StorageAway } from "../../schema/unavailable.js";

/** SQLSTATEs of a lost, starting, full or read-only server, and of transactions to be repeated. */
const AWAY = /^(08|25006|40|53|55P03|57|58)/;
const CONNECT_TIMEOUT_MS = 5_000;

/** One connection to the database, opened by the first query and again by the next one after a failure. */
export class Link {
  readonly #config: pg.ClientConfig;
  readonly #schema: string;
  #client: Promise<pg.Client> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param timeoutMs limit of a query; a slower server counts as away */
  constructor(url: string, schema: string, timeoutMs: number) {
    const connectionTimeoutMillis = Math.min(timeoutMs, CONNECT_TIMEOUT_MS);
    this.#config = {
      connectionString: url,
      connectionTimeoutMillis,
      query_timeout: timeoutMs,
      keepAlive: true,
      application_name: "payments-sandbox",
    };
    this.#schema = schema;
  }

  /**
   * @param name of a prepared statement
   * @throws StorageAway if the server does not answer; the query may have been carried out
   */
  query<Row = object>(text: string, values?: unknown[], name?: string): Promise<Row[]> {
    const result = this.#last.then(() => this.#query<Row>(text, values, name));
    this.#last = result.catch(() => {});
    return result;
  }

  async #query<Row>(text: string, values?: unknown[], name?: string): Promise<Row[]> {
    const opening = (this.#client ??= this.#open());
    try {
      return (await (await opening).query({ text, values, name })).rows as Row[];
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !AWAY.test(code)) throw error;
      if (this.#client === opening) await this.close();
      throw new StorageAway(`the database does not answer: ${message || code}`, { cause: error });
    }
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    // The next query fails and opens another connection.
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query(`set search_path to "${this.#schema}"`);
      return client;
    } catch (error) {
      client.connection.stream.destroy();
      throw error;
    }
  }

  /** Ends the connection, and a transaction on it. */
  async close(): Promise<void> {
    const opening = this.#client;
    this.#client = undefined;
    await opening?.then(
      (client) => client.connection.stream.destroy(),
      () => {},
    );
  }
}
