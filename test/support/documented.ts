/** The suite runs with the options of a repaired config, which change what is documented. */
export const IS_REPAIRED = process.env.SANDBOX_TEST_OPTIONS !== undefined;

/** Responses of this file's tests are held against the OpenAPI document, unless the file opts out for `wire`. */
export const documented = { isChecked: !IS_REPAIRED };
