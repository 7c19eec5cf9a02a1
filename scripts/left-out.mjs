// The last lines of `npm test`.
process.stdout.write(
  "Left out: tests that start programs, install packages, explore for long, or need Chromium or PostgreSQL.\n" +
    "npm run test:rest runs these, npm run test:all both; CONTRIBUTING.md says what they need.\n",
);
