import type { Sandbox } from "../../src/library/index.js";
import type { Json } from "./client.js";
import { demand, demandSame } from "./failure.js";

/** Checks that another sandbox can import the state and export it unchanged. */
export async function auditExport(
  sandbox: { snapshot(): Json },
  elsewhere: Pick<Sandbox, "snapshot"> & { fetch(request: Request): Promise<Response> },
): Promise<void> {
  const state = sandbox.snapshot();
  const answer = await elsewhere.fetch(
    new Request("http://elsewhere/_sandbox/state", { method: "PUT", body: JSON.stringify(state) }),
  );
  const said = await answer.text();
  demand(answer.status === 200, "export", () => `is refused elsewhere: ${said}`);
  // The clock is stopped, so no tasks run.
  const kept = ({ at, counters, collections: { namespace: _namespace, clock: _clock, ...rest } }: Json) => ({
    at,
    counters,
    ...rest,
  });
  demandSame("export", "what was taken in", kept(elsewhere.snapshot()), kept(state));
}
