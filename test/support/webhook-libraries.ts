import { importFrom } from "./test-packages.js";

/** The parts of Stripe's and Svix's libraries that verify a webhook. */
interface StripeModule {
  readonly default: new (
    key: string,
  ) => {
    readonly webhooks: { constructEvent(body: string | Buffer, header: string, secret: string): unknown };
  };
}
interface SvixModule {
  readonly Webhook: new (
    secret: string,
  ) => { verify(body: string | Buffer, headers: Record<string, string>): unknown };
}

export const { default: Stripe } = await importFrom<StripeModule>("webhook-libraries", "stripe");
export const { Webhook: SvixWebhook } = await importFrom<SvixModule>("webhook-libraries", "svix");
