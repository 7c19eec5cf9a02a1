import type { Mode } from "../schema/common.js";
import type { OrganizationFixture } from "../schema/fixtures.js";

/** Who asks: the organization behind an API key, in the key's mode. */
export interface Caller {
  readonly mode: Mode;
  readonly organization: OrganizationFixture;
}
