import type { Mode } from "../schema/common.js";
import type { OrganizationFixture } from "../schema/fixtures.js";

/** Who asks: the organization behind an API key, in the key's mode. */
export interface Caller {
  /** The API key itself; what one key did is not another's (idempotency). */
  readonly key: string;
  readonly mode: Mode;
  readonly organization: OrganizationFixture;
}
