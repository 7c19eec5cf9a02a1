import { extname, join } from "node:path";
import { expect, it } from "vitest";
import type { ExploreReport } from "../../src/library/index.js";
import { createSandbox } from "../../src/library/index.js";
import { temporaryFolder } from "../support/folders.js";
import { run } from "../support/process-command.js";
import { isRunnable } from "../support/programs.js";
import { freePort } from "../support/servers.js";
import { words } from "../support/words.js";

interface RightApp {
  readonly hasReceiver: boolean;
}
interface Harness {
  readonly RIGHT_APPS: Readonly<Record<string, RightApp>>;
  readonly FRAMEWORK_APPS: Readonly<Record<string, RightApp>>;
  exploreApp(
    create: typeof createSandbox,
    app: RightApp & { program: string; flow: string; takesPort?: boolean },
    options: { depth: number },
  ): Promise<ExploreReport>;
}

const FOLDER = join(import.meta.dirname, "right-apps");
const { RIGHT_APPS, FRAMEWORK_APPS, exploreApp }: Harness = await import(join(FOLDER, "explore-app.mjs"));

// The slowest apps come first.
for (const [name, app] of Object.entries(FRAMEWORK_APPS))
  it.skipIf(!isRunnable(name))(
    `explore finds nothing in the correct app ${name}`,
    { concurrent: true },
    async () => {
      const flow = join(FOLDER, name.replace(extname(name), ".yaml"));
      const place = { program: join(FOLDER, name), flow, takesPort: true };
      const report = await exploreApp(createSandbox, { ...app, ...place }, { depth: 1 });
      expect(report).toMatchObject({ findings: [], complete_depth: 1 });
    },
  );

it.concurrent.each(Object.entries(RIGHT_APPS))(
  "explore finds nothing in the correct app %s",
  async (name, app) => {
    const place = { program: join(FOLDER, `${name}.mjs`), flow: join(FOLDER, `${name}.yaml`) };
    const report = await exploreApp(createSandbox, { ...app, ...place }, { depth: 1 });
    expect(report).toMatchObject({ findings: [], complete_depth: 1 });
    // A busy machine may delay the app once.
    const isExpected = (note: string) =>
      /^(good practice: |happened once and could not be repeated: |foreign_charge at )/.test(note);
    expect(report.notes.filter((note) => !isExpected(note))).toEqual([]);
  },
);

it.skipIf(!isRunnable("no-page.py"))(
  "explore finds nothing in no-page.py, even when it is killed",
  { concurrent: true },
  async () => {
    const port = await freePort();
    const flags = words`--app 127.0.0.1:${port} --webhook-url 127.0.0.1:${port}/webhooks --kill --depth 1 --json`;
    const app = words`exec --explore no-page.yaml ${flags} -- python3 no-page.py`;
    const env = { PORT: String(port), APP_DATA: temporaryFolder() };
    const { stdout } = await run(app, { cwd: FOLDER, env });
    expect(JSON.parse(stdout)).toMatchObject({ findings: [], complete_depth: 1 });
  },
);
