import { StoreError } from "../store-error.js";
import type { DatabaseConnection } from "./commits.js";

/**
 * Migrations of the schema, each applied once. Append new migrations; never edit a released one.
 *
 * `namespaces` has the owners: an owner may commit while `fence` is unchanged since its takeover. `seq` is the number
 * of the last entry. `entries` has changes, and states that replace all earlier entries.
 */
const MIGRATIONS: readonly string[] = [
  `create table processes (id text primary key, url text, version text not null, expires timestamptz not null);
  create table namespaces (
    id serial primary key, name text not null unique, identity jsonb not null,
    owner text references processes on delete set null,
    fence bigint not null default 0, seq bigint not null default 0
  ) with (fillfactor = 50);
  create unique index on namespaces ((identity ->> 'api_key'));
  create index on namespaces (owner);
  insert into namespaces (name, identity) values ('default', '{}');
  create table entries (
    id int references namespaces on delete cascade, seq bigint, is_state bool not null, body text not null,
    primary key (id, seq)
  );
  create table snapshots (
    id int references namespaces on delete cascade, name text, at text not null, saved bigserial, body text not null,
    primary key (id, name)
  );`,
];

/** @throws StoreError if the database has another encoding, which refuses some texts at any later time */
export async function requireUtf8(connection: DatabaseConnection): Promise<void> {
  const [database] = await connection.query<{ name: string; encoding: string }>(
    "select current_database() as name, current_setting('server_encoding') as encoding",
  );
  const { name, encoding } = database!;
  if (encoding !== "UTF8")
    throw new StoreError(
      `--data: the database "${name}" is encoded in ${encoding}, and only UTF8 has every character; create one with: createdb --encoding UTF8 --template template0 NAME`,
    );
}

/** Registers a process or renews its row. A process with a new row has no namespaces yet. */
export const RENEW_PROCESS = `insert into processes (id, version, expires, url)
    values ($1, $2, clock_timestamp() + $3 * interval '1 ms', $4)
  on conflict (id) do update set expires = excluded.expires, url = excluded.url
  returning xmax = 0 as "isNew"`;

/**
 * Creates or migrates the schema, registers a process, and returns the seed of new namespaces.
 *
 * @param values parameters of the statement `RENEW_PROCESS`
 * @throws StoreError if the schema or a running process has another version
 */
export async function registerProcess(
  link: DatabaseConnection,
  schema: string,
  { version, seed }: { version: string; seed: string },
  values: unknown[],
): Promise<string> {
  await link.query("begin");
  await link.query("select pg_advisory_xact_lock(hashtext($1))", [`payments-sandbox ${schema}`]);
  const found = await link.query("select 1 from pg_namespace where nspname = $1", [schema]);
  if (found.length === 0) await link.query(`create schema "${schema}"`);
  await link.query("create table if not exists meta (format int not null, seed text not null)");
  await link.query("insert into meta select 0, $1 where not exists (select from meta)", [seed]);
  const [meta] = await link.query<{ format: number; seed: string }>("select format, seed from meta");
  if (meta!.format > MIGRATIONS.length)
    throw new StoreError(
      `The schema "${schema}" has format ${meta!.format}, and version ${version} of payments-sandbox knows formats up to ${MIGRATIONS.length}: start the newer version, or use another schema.`,
    );
  for (const migration of MIGRATIONS.slice(meta!.format)) await link.query(migration);
  const [other] = await link.query<{ version: string; url: string }>(
    "select version, url from processes where version <> $1 and expires > clock_timestamp()",
    [version],
  );
  if (other !== undefined)
    throw new StoreError(
      `The schema "${schema}" is in use by version ${other.version} of payments-sandbox at ${other.url}, and this is version ${version}: stop the processes of that version first.`,
    );
  await link.query("update meta set format = $1", [MIGRATIONS.length]);
  await link.query(RENEW_PROCESS, values);
  await link.query("commit");
  return meta!.seed;
}
