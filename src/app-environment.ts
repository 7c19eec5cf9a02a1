/** Where an app finds a sandbox, and what it needs to use it. */
export interface Access {
  readonly url: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
}

/** The variables an app is told that by: what `exec`, `env` and `setupSandbox` set. */
export function appEnvironment({ url, apiKey, webhookSecret }: Access) {
  return {
    PAYMENTS_BASE_URL: url,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_WEBHOOK_SECRET: webhookSecret,
    PAYMENTS_SANDBOX_URL: url,
  };
}
