// The part of the server that pages get: operations of the control API, and no namespace or engine.
import type { Context } from "hono";
import { ControlClient, type OperationCall } from "../../core/client/control-client.js";
import { loadLazily } from "../../core/time/load-lazily.js";
import type { ControlApp } from "../control/app.js";
import type { PageRunner } from "../control/control-operation.js";
import type { ControlTypes } from "../control/operations.js";
import type { DocumentOptions, FilledDocument } from "../openapi/serve.js";

export type Result<Id extends keyof ControlTypes> = ControlTypes[Id]["output"];

/** Calls an operation of the control API in a namespace; throws a SandboxError for a refusal. */
export type Ask = <Id extends keyof ControlTypes & OperationCall[0]>(
  id: Id,
  input?: object,
) => Promise<Result<Id>>;

export interface PageHost {
  nowMs(): number;
  publicUrl(): string | undefined;
  namespaceOfCheckout(checkoutId: string): string | undefined;
  /** Calls of a namespace. Changes and requests are attributed to the runner. */
  client(namespace: string, runner: PageRunner): ControlClient;
  /** Responds with a page of an API's document, filled in for the namespace of the request. */
  reference(
    api: "service" | "control",
    c: Context,
    respond: (described: ReferenceSource) => Promise<Response>,
  ): Promise<Response>;
}

export interface ReferenceSource extends FilledDocument {
  readonly other: FilledDocument["document"];
  readonly ask: Ask;
}

export function createPageHost(
  described: DocumentOptions,
  fetch: (request: Request) => Promise<Response>,
  control: () => ControlApp | Promise<ControlApp>,
): PageHost {
  const { namespaces } = described;
  const client = (namespace: string, runner?: PageRunner) =>
    new ControlClient({
      namespace,
      runner,
      fetch: async (path, init) =>
        (await control()).inProcess(path, init) ?? fetch(new Request(`http://sandbox${path}`, init)),
    });
  return {
    nowMs: () => namespaces.nowMs(),
    publicUrl: () => namespaces.options.base.publicUrl,
    namespaceOfCheckout: (checkoutId) => namespaces.findCheckout(checkoutId)?.name,
    client,
    reference: async (api, c, respond) => {
      const { respondWithDocument } = await loadLazily(() => import("../openapi/serve.js"));
      return respondWithDocument(api, described, c, async (filled, otherOf) =>
        respond({ ...filled, other: await otherOf(), ask: askOf(client(filled.name)) }),
      );
    },
  };
}

export function askOf(client: ControlClient): Ask {
  return (id, input) => client.run(...([id, input] as OperationCall));
}
