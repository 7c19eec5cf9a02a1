/** Where an app finds a sandbox, and what it needs to use it. */
export interface Access {
  readonly url: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** Over HTTPS: the file with its authority alone, and the one with the public authorities too. */
  readonly trust?: { readonly caFile: string; readonly bundleFile: string } | undefined;
}

/** The variables an app is told that by: what `exec`, `env` and `setupSandbox` set. */
export function appEnvironment({ url, apiKey, webhookSecret, trust }: Access) {
  return {
    PAYMENTS_BASE_URL: url,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_WEBHOOK_SECRET: webhookSecret,
    PAYMENTS_SANDBOX_URL: url,
    ...(trust && {
      // Of Node and Bun, trusted besides what is trusted anyway; one that is set already is in the bundle.
      NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS === undefined ? trust.caFile : trust.bundleFile,
      // Of OpenSSL (Python, Ruby, PHP, Go), requests and curl, trusted instead of what is trusted otherwise.
      SSL_CERT_FILE: trust.bundleFile,
      REQUESTS_CA_BUNDLE: trust.bundleFile,
      CURL_CA_BUNDLE: trust.bundleFile,
    }),
  };
}
