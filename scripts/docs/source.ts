// What the pages are written from. The scripts load it bundled: `withSource()`.
export { addCommands } from "../../src/cli/commands.js";
export { addConnectionOptions, addStartOptions, OPTION_ROWS } from "../../src/cli/options.js";
export { groupCommands } from "../../src/cli/program.js";
export { Catalogue } from "../../src/core/domain/catalogue.js";
export { CHARGE_STATUS_RULES } from "../../src/core/domain/charge-transition.js";
export { WITHDRAWAL_STATUS_RULES } from "../../src/core/domain/withdrawal.js";
export { BAD_HABITS } from "../../src/core/namespace/advice.js";
export {
  chargeEventType,
  SERVICE_EVENT_TYPES,
  withdrawalEventType,
} from "../../src/core/schema/event-types.js";
export { FIXTURE_ID_FIELDS, fixturesSchema } from "../../src/core/schema/fixtures-file.js";
export { OPTIONS } from "../../src/core/schema/option-table.js";
export { MARKINGS, statusWordsOf } from "../../src/core/schema/reconciliation.js";
export { DEFAULT_SETTINGS } from "../../src/core/schema/settings.js";
export { CHARGE_STATUS_TABLE } from "../../src/core/schema/statuses.js";
export { createSandbox } from "../../src/library/opening.js";
export { controlDocument } from "../../src/server/openapi/control-document.js";
export { createPlaceholderLookup, fillPlaceholders } from "../../src/server/openapi/serve.js";
export { serviceDocument } from "../../src/server/openapi/service-document.js";
export { DEVIATION_KIND_DEFINITIONS } from "../../src/tools/explore/kinds.js";
export { scenarioJsonSchema } from "../../src/tools/scenario/json-schema.js";
export { loadShippedContent } from "../../src/tools/scenario/shipped.js";
export { STEP_KINDS, STEPS } from "../../src/tools/scenario/steps/step-kinds.js";
