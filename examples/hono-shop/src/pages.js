import { html } from "hono/html";

const SAID = {
  pending: "We are waiting for your payment.",
  paid: "Thank you! Your order is on its way.",
  failed: "Your payment has failed. Please try again.",
  cancelled: "You have cancelled the payment.",
  expired: "You did not pay in time.",
  refunded: "You have got your money back.",
};

const page = (content) => html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <title>Tea shop</title>
    </head>
    <body>
      ${content}
    </body>
  </html>`;

export const basketPage = () =>
  page(html`<form method="post" action="/orders">
    <p>One box of tea, KES 500.00</p>
    <label>Your e-mail address <input name="email" type="email" required /></label>
    <button>Pay</button>
  </form>`);

/** What the shop itself knows about the order; the form is for those who have not paid yet. */
export const orderPage = (order) =>
  page(html`<p>${SAID[order.status]}</p>
    ${
      order.status === "paid" || order.status === "refunded"
        ? ""
        : html`<form method="post" action="/orders/${order.id}/pay"><button>Pay</button></form>`
    }`);

export const troublePage = () =>
  page(
    html`<p>The payment service does not answer. Nothing has been paid; please try again in a moment.</p>`,
  );
