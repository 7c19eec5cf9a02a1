/** Address and credentials of a sandbox. */
export interface SandboxAccess {
  readonly url: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** With HTTPS: PEM files of the certificate authority. `bundleFile` also has the public authorities. */
  readonly trust?: { readonly caFile: string; readonly bundleFile: string } | undefined;
}

/** Environment variables that `exec`, `env` and `setupSandbox` set for an app. */
export function appEnvironment({ url, apiKey, webhookSecret, trust }: SandboxAccess) {
  return {
    PAYMENTS_BASE_URL: url,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_WEBHOOK_SECRET: webhookSecret,
    PAYMENTS_SANDBOX_URL: url,
    ...(trust && {
      // Node and Bun add the authorities in this file to the public authorities.
      // `bundleFile` also contains the authorities that the user had set in NODE_EXTRA_CA_CERTS.
      NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS === undefined ? trust.caFile : trust.bundleFile,
      // OpenSSL (Python, Ruby, PHP, Go), requests and curl use only the authorities in this file.
      SSL_CERT_FILE: trust.bundleFile,
      REQUESTS_CA_BUNDLE: trust.bundleFile,
      CURL_CA_BUNDLE: trust.bundleFile,
    }),
  };
}
