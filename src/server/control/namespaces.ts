import { leaseRequestSchema, namespaceRequestSchema } from "../../core/schema/control-requests.js";
import { namespaceNameSchema } from "../../core/schema/option-schemas.js";
import { isRefusal, refuseInvalid } from "../../core/schema/refusals.js";
import { pageQuerySchema } from "../../core/schema/service-requests.js";
import { limitAndOffset } from "../http/operation-row.js";
import { type ControlCall, defineControlOperation, pageReply } from "./control-operation.js";

export const NAMESPACE_OPERATIONS = [
  defineControlOperation({
    id: "listNamespaces",
    call: "GET /_sandbox/namespaces",
    summary: "List namespaces",
    description: "Every namespace, newest first.",
    input: pageQuerySchema,
    output: "NamespaceList",
    run: async ({ namespaces, input, url, fetch, access }) => {
      const { ownership } = namespaces;
      if (ownership === undefined) return pageReply(namespaces.list(), input);
      const { limit, offset } = limitAndOffset(input);
      const all = await ownership.listOwners();
      // Only the process that runs a namespace can describe the namespace; `fetch` forwards the call to that process.
      const views = all.slice(offset, offset + limit).map(async ({ name }) => {
        const request = new Request(new URL(`/_sandbox/namespaces/${name}`, url), { headers: access });
        const response = await fetch(request);
        return response.ok ? [(await response.json()) as ReturnType<typeof namespaces.list>[number]] : [];
      });
      return { total: all.length, items: (await Promise.all(views)).flat() };
    },
  }),
  defineControlOperation({
    id: "createNamespace",
    call: "POST /_sandbox/namespaces",
    summary: "Create a namespace",
    description: "Creates a namespace that does not exist yet.",
    input: namespaceRequestSchema,
    output: "Namespace",
    errors: ["NAMESPACE_EXISTS"],
    example: { name: "worker-1", clock: "manual" },
    run: ({ namespaces, input }) => namespaces.create(input),
  }),
  defineControlOperation({
    id: "getNamespace",
    call: "GET /_sandbox/namespaces/{name}",
    summary: "Get a namespace",
    description: "One namespace.",
    output: "Namespace",
    run: ({ namespaces, param }) =>
      namespaces.list().find(({ name }) => name === param("name")) ??
      namespaces.notFoundRefusal(param("name"), null),
  }),
  defineControlOperation({
    id: "putNamespace",
    call: "PUT /_sandbox/namespaces/{name}",
    summary: "Create a namespace unless it exists",
    description:
      "Creates the namespace unless it exists; an existing one is not changed. Safe to repeat. A namespace of an earlier run that could not be opened is opened again.",
    params: { name: namespaceNameSchema },
    input: namespaceRequestSchema,
    output: "Namespace",
    errors: ["NAMESPACE_EXISTS"],
    example: { clock: "manual" },
    run: ({ namespaces, input, param }) => {
      const name = param("name");
      return input.name !== undefined && input.name !== name
        ? refuseInvalid({ name: "must be the name in the path" })
        : namespaces.ensure(name, input);
    },
  }),
  defineControlOperation({
    id: "deleteNamespace",
    call: "DELETE /_sandbox/namespaces/{name}",
    summary: "Delete a namespace",
    description: "Deletes the namespace and everything in it, even if it could not be opened.",
    output: "NameDeleted",
    run: async ({ namespaces, param }) => {
      const name = param("name");
      return (await namespaces.delete(name)) ?? { name, deleted: true };
    },
  }),
];

export const LEASE_OPERATIONS = [
  defineControlOperation({
    id: "takeLease",
    call: "POST /_sandbox/lease",
    summary: "Acquire a namespace lease",
    description:
      "A run (header `Sandbox-Run`) has the namespace until it releases it or its process ends: then clock, rules, faults and mailboxes are restored, with `snapshot` the whole state. The run counts as alive while it has a call with `hold` open, or made one in the last 30 s of wall time. Such a call renews its lease: it returns after 10 s and must then be made again; `held` is false once the lease is released.",
    input: leaseRequestSchema,
    output: "Lease",
    errors: ["NAMESPACE_LEASED"],
    run: (call) =>
      withRun(call, async (run, { namespaces, namespace, input, signal }) => {
        if (input.hold === true) {
          const held = await namespace.lease.hold(run, signal());
          return isRefusal(held) ? held : { namespace: namespace.name, run, held };
        }
        const cleanUp = async () => {
          if (input.with_namespace === true) await namespaces.delete(namespace.name);
          else if (input.snapshot !== undefined) {
            await namespace.snapshots.restore(input.snapshot);
            await namespace.snapshots.delete(input.snapshot);
          }
        };
        return namespace.lease.take(run, cleanUp) ?? { namespace: namespace.name, run, held: true };
      }),
  }),
  defineControlOperation({
    id: "releaseLease",
    call: "DELETE /_sandbox/lease",
    summary: "Release a lease",
    description: "The run (header `Sandbox-Run`) has ended and has restored what it changed.",
    output: "Lease",
    run: (call) =>
      withRun(
        call,
        (run, { namespace }) =>
          namespace.lease.release(run) ?? { namespace: namespace.name, run, held: false },
      ),
  }),
];

function withRun<Call extends Pick<ControlCall, "run">, Result>(
  call: Call,
  handle: (run: string, call: Call) => Result,
) {
  return call.run === null
    ? refuseInvalid({ "Sandbox-Run": "must name the run, in this header" })
    : handle(call.run, call);
}
