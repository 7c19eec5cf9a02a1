# npm run build && docker build . -t payments-sandbox
FROM node:24-alpine@sha256:d32cdf619f63fe0471182d08996dd516c6275bb5fd31ae06e55a570bd9e1ad43

COPY dist/payments-sandbox.mjs /payments-sandbox.mjs

# Beyond loopback the control API is closed without a token: give one with -e, or read the made-up one in the log.
ENV PAYMENTS_SANDBOX_HOST=0.0.0.0 \
    PAYMENTS_SANDBOX_CONTROL_TOKEN=generate

USER node
EXPOSE 4402
HEALTHCHECK --interval=2s --timeout=5s --retries=30 \
  CMD ["node", "/payments-sandbox.mjs", "wait", "ready", "--timeout", "3s"]
ENTRYPOINT ["node", "/payments-sandbox.mjs"]
CMD ["start"]
