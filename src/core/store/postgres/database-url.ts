import { didYouMean } from "../../schema/nearest.js";
import { parseDuration } from "../../schema/time.js";
import { StoreError } from "../store-error.js";

/** Parameters of the URL that the storage reads; `pg` gets all others. */
const OWN_PARAMETERS = ["schema", "lease"];

/** Modes that `pg` treats as `verify-full`, but with a warning of ten lines. */
const VERIFY_FULL_ALIASES: readonly (string | undefined)[] = ["prefer", "require", "verify-ca"];

interface DatabaseUrl {
  /** URL for the driver, without the storage's own parameters. */
  readonly url: string;
  readonly schema: string;
  readonly leaseMs: number;
}

/** @throws StoreError if the value of `--data` is not such a URL, or a parameter is wrong */
export function parseDatabaseUrl(data: string): DatabaseUrl {
  if (!URL.canParse(data))
    throw new StoreError(
      "--data: not the URL of a database; write postgres://USER:PASSWORD@HOST:PORT/DATABASE.",
    );
  const url = new URL(data);
  const parameters = Object.fromEntries(url.searchParams);
  const { schema = "payments_sandbox", lease = "10s", sslmode, uselibpqcompat } = parameters;
  for (const name of Object.keys(parameters).filter((name) => !OWN_PARAMETERS.includes(name))) {
    const suggestion = didYouMean(name, OWN_PARAMETERS);
    if (suggestion !== "") throw new StoreError(`--data: there is no parameter ${name}${suggestion}`);
  }
  const leaseMs = parseDuration(lease);
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || leaseMs === undefined || leaseMs < 1_000)
    throw new StoreError(
      "--data: schema must be lower-case letters, digits and underscores, lease at least 1s.",
    );
  if (/^(pg_|information_schema$)/.test(schema))
    throw new StoreError(`--data: the schema ${schema} is PostgreSQL's own; choose another name.`);
  for (const name of OWN_PARAMETERS) url.searchParams.delete(name);
  if (VERIFY_FULL_ALIASES.includes(sslmode) && uselibpqcompat !== "true")
    url.searchParams.set("sslmode", "verify-full");
  return { url: url.href, schema, leaseMs };
}
