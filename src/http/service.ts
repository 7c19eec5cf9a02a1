import type { Context } from "hono";
import type { Caller } from "../engine/caller.js";
import { isRefusal, refuse } from "../schema/errors.js";
import { bearerKey, callerOf } from "./authenticate.js";
import { parseBody, type RawBody, readBody } from "./body.js";
import type { Call, Operation } from "./operations.js";
import type { World, Worlds } from "./ports.js";
import { errorReply, type Reply, toResponse } from "./reply.js";

/** What is known of a call once the checks before the body are through. */
interface Admitted {
  readonly world: World;
  readonly caller: Caller | undefined;
  readonly headers: Record<string, string> | undefined;
}

/**
 * The order of checks is the contract's (section 2): route → key → rate → permission → organization → fault →
 * size and JSON → validation → work. Reads are answered without ever yielding.
 */
export function serve(worlds: Worlds, operation: Operation): (c: Context) => Response | Promise<Response> {
  if (operation.method === "GET" || operation.method === "DELETE" || operation.body === "none")
    return (c) => {
      const admitted = admit(worlds, operation, c);
      return admitted instanceof Response ? admitted : work(operation, c, admitted, {});
    };
  return async (c) => {
    const admitted = admit(worlds, operation, c);
    if (admitted instanceof Response) return admitted;
    const raw: RawBody = await readBody(c.req.raw);
    const parsed = parseBody(raw, c.req.raw.headers.get("content-type"));
    if (isRefusal(parsed)) return toResponse(errorReply(parsed), admitted.world.nowMs(), admitted.headers);
    return work(operation, c, admitted, parsed.object);
  };
}

function admit(worlds: Worlds, operation: Operation, c: Context): Admitted | Response {
  const requestHeaders = c.req.raw.headers;
  const authorization = requestHeaders.get("authorization");
  const token = bearerKey(authorization);
  const world = worlds.find(requestHeaders.get("sandbox-namespace"), token);
  if (world === undefined)
    return toResponse(noNamespace(requestHeaders.get("sandbox-namespace")), worlds.nowMs());
  if (operation.key === "none" || (operation.key === "optional" && authorization === null))
    return { world, caller: undefined, headers: undefined };

  const key = token === null ? undefined : world.findKey(token);
  if (key === undefined)
    return toResponse(errorReply(refuse("UNAUTHORIZED", "Invalid API key")), world.nowMs());

  let headers: Record<string, string> | undefined;
  if (world.rates !== undefined) {
    const { limited, limit, remaining, resetSeconds } = world.rates.hit(key.key, world.nowMs());
    headers = {
      "ratelimit-policy": `"default";q=${limit};w=60`,
      ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
    };
    if (limited)
      return toResponse(
        errorReply(refuse("RATE_LIMIT_EXCEEDED", `Rate limit exceeded. Try again in ${resetSeconds} s.`), {
          "retry-after": String(resetSeconds),
        }),
        world.nowMs(),
        headers,
      );
  }
  if (key.permission === "read_only" && operation.method !== "GET")
    return toResponse(errorReply(refuse("FORBIDDEN", "This API key may only read")), world.nowMs(), headers);
  const caller = callerOf(world, key);
  if (caller === undefined)
    return toResponse(errorReply(refuse("NOT_FOUND", "Organization not found")), world.nowMs(), headers);
  return { world, caller, headers };
}

function work(
  operation: Operation,
  c: Context,
  { world, caller, headers }: Admitted,
  body: Record<string, unknown>,
): Response {
  const call: Call = {
    world,
    caller,
    body,
    url: c.req.url,
    param: (name) => c.req.param(name) ?? "",
    header: (name) => c.req.raw.headers.get(name),
  };
  // The table's row says whether a key is required; admit() has seen to it that there is one.
  const answer = (operation.handle as (call: Call) => Reply | ReturnType<typeof refuse>)(call);
  return toResponse(isRefusal(answer) ? errorReply(answer) : answer, world.nowMs(), headers);
}

export function noNamespace(name: string | null): Reply {
  return errorReply(refuse("NOT_FOUND", `There is no namespace "${name ?? ""}"`));
}
