import type { Context } from "hono";
import { transitionCharge } from "../../../engine/commands/charges.js";
import { redeliver } from "../../../engine/commands/events.js";
import type { Namespace } from "../../../namespace/namespace.js";
import type { Namespaces } from "../../../namespace/namespaces.js";
import { chargeStatusSchema } from "../../../schema/common.js";
import { parseDuration } from "../../../schema/duration.js";
import { invalid, isRefusal, type Refusal, refuse } from "../../../schema/errors.js";
import { check } from "../../../schema/issues.js";
import { clockSetting } from "../../../schema/options.js";
import { iso } from "../../../schema/time.js";
import { readBody } from "../../body.js";
import { isForeign } from "../../origin.js";
import { toResponse } from "../../reply.js";
import { noNamespace } from "../../service/admit.js";
import { dashboardPage } from "./page.js";

function respond(
  namespaces: Namespaces,
  namespace: Namespace,
  status: number,
  notice: string | null,
): Response {
  namespace.settle();
  const names = namespaces.list().map((one) => one.name);
  return dashboardPage(namespace, names, notice, status);
}

/** `GET /_sandbox/dashboard?namespace=NAME`. */
export function showDashboard(namespaces: Namespaces, c: Context): Response {
  const name = c.req.query("namespace") ?? null;
  const namespace = namespaces.find(name, null);
  return namespace === undefined
    ? toResponse(noNamespace(namespaces, name, null), namespaces.nowMs())
    : respond(namespaces, namespace, 200, null);
}

/** What a button does; then the page again. */
export async function actOnDashboard(namespaces: Namespaces, c: Context): Promise<Response> {
  const raw = await readBody(c.req.raw);
  const form = new URLSearchParams("text" in raw ? raw.text : "");
  const name = form.get("namespace");
  const namespace = namespaces.find(name, null);
  if (namespace === undefined) return toResponse(noNamespace(namespaces, name, null), namespaces.nowMs());
  if (isForeign(c.req.raw, namespace.publicUrl))
    return respond(namespaces, namespace, 403, "That form was not sent from this page.");
  const refusal = await act(namespace, form.get("action") ?? "", form.get("value") ?? "");
  if (refusal !== undefined) return respond(namespaces, namespace, 409, refusal.message);
  const location = `/_sandbox/dashboard?namespace=${encodeURIComponent(namespace.name)}`;
  return new Response(null, { status: 303, headers: { location, "sandbox-now": iso(namespace.nowMs()) } });
}

async function act(namespace: Namespace, action: string, value: string): Promise<Refusal | undefined> {
  const settled = (result: unknown): Refusal | undefined => (isRefusal(result) ? result : undefined);
  switch (action) {
    case "advance": {
      const byMs = parseDuration(value);
      return byMs === undefined
        ? invalid({ value: "must be a duration" })
        : settled(await namespace.clock.advance({ byMs }));
    }
    case "until":
      return settled(await namespace.clock.advance({ until: "next" }));
    case "clock":
      return namespace.clock.set({
        setting: clockSetting(value === "manual" ? "manual" : "real"),
        nowMs: undefined,
      });
    case "reset":
      // The button that asks names what it resets: a press from a page of before, or of a script, does nothing.
      if (value !== namespace.name)
        return invalid({ value: `must be the namespace to reset, ${namespace.name}` });
      return namespace.reset({ keep: ["webhooks", "keys"], repeatIds: false });
    case "charge": {
      const [id = "", to] = value.split(" ");
      const checked = check(chargeStatusSchema, to);
      return checked.ok
        ? settled(namespace.execute(transitionCharge(id, checked.data, "control", "from the dashboard")))
        : invalid({ value: "must name a status" });
    }
    case "redeliver":
      return settled(namespace.execute(redeliver(value, 1)));
    default:
      return refuse("VALIDATION_ERROR", "There is no such button");
  }
}
