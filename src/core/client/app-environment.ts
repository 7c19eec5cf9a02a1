/** Address and credentials of a sandbox. */
export interface SandboxAccess {
  readonly url: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
}

/** Environment variables that `exec`, `env` and `setupSandbox` set for an app. */
export function appEnvironment({ url, apiKey, webhookSecret }: SandboxAccess) {
  return {
    PAYMENTS_BASE_URL: url,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_WEBHOOK_SECRET: webhookSecret,
    PAYMENTS_SANDBOX_URL: url,
  };
}
