/** The families of pages, a line each: a page is deleted with its folder and its line. */
export { CHECKOUT } from "./checkout/checkout-routes.js";
export { DASHBOARD } from "./dashboard/dashboard-routes.js";
export { REFERENCE } from "./reference/reference-routes.js";
