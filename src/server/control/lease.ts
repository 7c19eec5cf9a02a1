import { leaseRequestSchema } from "../../core/schema/control-requests.js";
import { isRefusal, refuseInvalid } from "../../core/schema/refusals.js";
import { type ControlCall, defineControlOperation } from "./control-operation.js";

export const LEASE_OPERATIONS = [
  defineControlOperation(
    {
      id: "takeLease",
      call: "POST /_sandbox/lease",
      body: leaseRequestSchema,
      response: "Lease",
      docs: {
        summary: "Acquire a namespace lease",
        description:
          "A run (header `Sandbox-Run`, a name of its own) has the namespace until it releases it or its process ends: then the clock, rules, faults and mailboxes are restored, and with `snapshot` the whole state. The run counts as alive while it has a call with `hold` open, or made one in the last 30 s of wall time. Such a call renews its lease: it returns after 10 s and must then be made again; `held` is false once the lease is released.",
        errorCodes: ["NAMESPACE_LEASED"],
      },
    },
    (call) =>
      withRun(call, async (run, { namespaces, namespace, body, signal }) => {
        if (body.hold === true) {
          const held = await namespace.lease.hold(run, signal());
          return isRefusal(held) ? held : { namespace: namespace.name, run, held };
        }
        const cleanUp = async () => {
          if (body.with_namespace === true) await namespaces.delete(namespace.name);
          else if (body.snapshot !== undefined) {
            await namespace.snapshots.restore(body.snapshot);
            await namespace.snapshots.delete(body.snapshot);
          }
        };
        return namespace.lease.take(run, cleanUp) ?? { namespace: namespace.name, run, held: true };
      }),
  ),
  defineControlOperation(
    {
      id: "releaseLease",
      call: "DELETE /_sandbox/lease",
      response: "Lease",
      docs: {
        summary: "Release a lease",
        description: "The run (header `Sandbox-Run`) has ended and has restored what it changed.",
      },
    },
    (call) =>
      withRun(
        call,
        (run, { namespace }) =>
          namespace.lease.release(run) ?? { namespace: namespace.name, run, held: false },
      ),
  ),
];

function withRun<Call extends Pick<ControlCall, "run">, Result>(
  call: Call,
  handle: (run: string, call: Call) => Result,
) {
  return call.run === null
    ? refuseInvalid({ "Sandbox-Run": "must name the run, in this header" })
    : handle(call.run, call);
}
