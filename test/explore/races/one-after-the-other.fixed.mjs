process.env.FIXED = "1";
await import("./one-after-the-other.mjs");
