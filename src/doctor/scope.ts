import type { SignatureScheme } from "../schema/webhooks.js";
import type { Probe } from "./report.js";

/** Why a scheme leaves a receiver no means to pass a probe; undefined where it has them. */
export function outOfScope(probe: Probe, scheme: SignatureScheme): string | undefined {
  const isSigned = Object.keys(scheme.headers).length > 0;
  switch (probe) {
    case "tampered":
      if (!isSigned) return "nothing is signed, so a receiver cannot tell";
      return scheme.algorithm === null
        ? "this scheme sends the secret itself and signs nothing of the body, so a receiver cannot tell"
        : undefined;
    case "wrong_secret":
    case "unsigned":
      return isSigned ? undefined : "nothing is signed, so a receiver cannot tell";
    case "stale":
      return scheme.payload === "body"
        ? "this scheme signs no timestamp, so a receiver cannot tell an old request from a new one"
        : undefined;
    case "rotated_secret":
      return scheme.between === null ? "this scheme has room for one signature only" : undefined;
    default:
      return undefined;
  }
}
