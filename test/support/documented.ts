/** Responses of this file's tests are held against the OpenAPI document, unless the file opts out for `wire`. */
export const documented = { isChecked: true };
