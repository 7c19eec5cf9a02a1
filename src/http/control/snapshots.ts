import { snapshotRequestSchema } from "../../schema/control.js";
import { invalid, isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { readControlPage } from "../query.js";
import { ok, okPieces, type Reply } from "../reply.js";
import { waitForClock } from "./clock.js";
import type { ControlCall } from "./operations.js";
import { sandboxInfo } from "./sandbox.js";

/** The whole state of the namespace, to be put back here or elsewhere. */
export function getState({ namespace }: ControlCall): Reply {
  return okPieces(namespace.snapshots.text());
}

export async function putState(call: ControlCall): Promise<Reply | Refusal> {
  const waited = await waitForClock(call);
  if (waited !== undefined) return waited;
  return (await call.namespace.snapshots.load(call.body)) ?? sandboxInfo(call);
}

export function listSnapshots({ namespace, url }: ControlCall): Reply | Refusal {
  const page = readControlPage(url);
  if (isRefusal(page)) return page;
  const all = namespace.snapshots.list();
  return ok({ total: all.length, items: all.slice(page.offset, page.offset + page.limit) });
}

/** Deliveries under way are pending in it. A name that is taken is written over. */
export async function postSnapshot({ namespace, body }: ControlCall): Promise<Reply | Refusal> {
  const checked = check(snapshotRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const saved = await namespace.snapshots.save(checked.data.name);
  return isRefusal(saved) ? saved : ok(saved);
}

export async function restoreSnapshot(call: ControlCall): Promise<Reply | Refusal> {
  const waited = await waitForClock(call);
  if (waited !== undefined) return waited;
  return (await call.namespace.snapshots.restore(call.param("name"))) ?? sandboxInfo(call);
}

export function deleteSnapshot({ namespace, param }: ControlCall): Reply | Refusal {
  const name = param("name");
  return namespace.snapshots.delete(name)
    ? ok({ name, deleted: true })
    : refuse("NOT_FOUND", `There is no snapshot "${name}"`);
}
