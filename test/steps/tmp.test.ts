import { createSandbox } from "/work/main/src/index.js";
import { it } from "vitest";
it("x", async () => {
  const s = await createSandbox({ clock: "real" });
  const r = await s.run("/tmp/sc/a.yaml");
  console.log(JSON.stringify(r, null, 1));
  const r2 = await s.run("/tmp/sc/a.yaml");
  console.log(r2.run_id, r2.outcome, r2.steps.map(x=>x.outcome).join());
  await s.close();
});
