import pg from "pg";
import { expect } from "vitest";
import { atEnd } from "../support/lifetime.js";
import type { Postgres } from "../support/postgres.js";

/** Amounts that the database treats in a way of their own. */
export const REFUSED = "666.66";
export const SLOW = "777.77";
/** Advisory locks that a refused and a slow statement wait for. */
export const BEFORE_REFUSAL = 1;
export const BEFORE_COMMIT = 2;

/** A slow statement, or one with a state, waits after all rows are written, so that a refused row of its batch is refused first. */
const TRIGGERS = `
  create function treat_refused() returns trigger language plpgsql as $$ begin
    if new.body like '%"${REFUSED}"%' then
      perform pg_advisory_xact_lock(${BEFORE_REFUSAL});
      raise exception 'not in this database' using errcode = '22P05';
    end if;
    return new;
  end $$;
  create function treat_slow() returns trigger language plpgsql as $$ begin
    if new.is_state or new.body like '%"${SLOW}"%' then perform pg_advisory_xact_lock(${BEFORE_COMMIT}); end if;
    return null;
  end $$;
  create trigger treat_refused before insert on entries for each row execute function treat_refused();
  create trigger treat_slow after insert on entries for each row execute function treat_slow();`;

/** A session of the test that holds locks which statements of the sandbox wait for. */
export class Locks {
  private constructor(readonly session: pg.Client) {}

  static async open(url: string): Promise<Locks> {
    const session = new pg.Client({ connectionString: url });
    await session.connect();
    atEnd(() => session.end());
    return new Locks(session);
  }

  async take(lock: number): Promise<void> {
    await this.session.query("select pg_advisory_lock($1)", [lock]);
  }

  async release(lock: number): Promise<void> {
    await this.session.query("select pg_advisory_unlock($1)", [lock]);
  }

  /** Lets waiting statements pass, and takes the lock behind them. */
  async letPass(lock: number): Promise<void> {
    await this.release(lock);
    await this.take(lock);
  }

  /** Resolves when a statement waits for the lock. */
  async hasWaiting(lock: number): Promise<void> {
    const text = "select from pg_locks where locktype = 'advisory' and objid = $1 and not granted";
    await expect.poll(async () => (await this.session.query(text, [lock])).rowCount).toBe(1);
  }
}

/** Makes the database treat the amounts, and takes both locks. */
export async function openLocks(postgres: Postgres, url: string): Promise<Locks> {
  await postgres.query(url, TRIGGERS);
  const locks = await Locks.open(url);
  for (const lock of [BEFORE_REFUSAL, BEFORE_COMMIT]) await locks.take(lock);
  return locks;
}
