import type { Mode } from "../schema/common.js";
import type { OrganizationFixture } from "../schema/fixtures-file.js";

/** Sender of an API call: the organization of its API key, in the key's mode. */
export interface Caller {
  /** API key. Idempotency keys are unique per API key. */
  readonly key: string;
  readonly mode: Mode;
  readonly organization: OrganizationFixture;
}
