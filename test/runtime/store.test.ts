import {
  appendFileSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Change } from "../../src/core/engine/records.js";
import { FileStore, type FileStoreOptions } from "../../src/core/store/file-store.js";
import { nodeIo, type StoreIo } from "../../src/core/store/file-system.js";
import { encodeLine } from "../../src/core/store/journal-line.js";
import { SnapshotFile } from "../../src/core/store/snapshot-file.js";
import { StoreError } from "../../src/core/store/store-error.js";
import { yieldToEventLoop } from "../../src/core/time/wall-clock.js";
import { temporaryFolder } from "../support/folders.js";
import { change, dumpOf, type Model, modelOf, none, upTo } from "../support/store-model.js";

let folder: string;
let file: string;
/** Stores left open as after a crash, closed after the test. */
let opened: FileStore[];

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "data.json");
  opened = [];
});

afterEach(() => {
  for (const store of opened) {
    try {
      store.close(() => dumpOf({ seq: -1, rates: new Map() }));
    } catch {
      // The write is refused on purpose.
    }
  }
});

function fileStoreAt(options: Partial<FileStoreOptions> = {}): FileStore {
  const store = new FileStore({ file, ...options });
  opened.push(store);
  return store;
}

/** Copies the files as a crash would leave them, and continues with the copy. */
function crash(): void {
  const next = mkdtempSync(join(folder, "crash-"));
  for (const suffix of ["", ".journal"]) {
    if (existsSync(file + suffix)) copyFileSync(file + suffix, join(next, `data.json${suffix}`));
  }
  file = join(next, "data.json");
}

function failing(code: string): () => never {
  return () => {
    throw Object.assign(new Error(`${code}: injected`), { code });
  };
}

function journalBytes(): Buffer {
  return readFileSync(`${file}.journal`);
}

it("file store writes a readable snapshot on close if the state changed", () => {
  const store = fileStoreAt();
  store.load();
  store.append(change(1), none);
  store.close(() => dumpOf(upTo(1)));
  expect(journalBytes()).toHaveLength(0);
  const checksum = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ checksum, ...dumpOf(upTo(1)) });
  expect(readFileSync(file, "utf8")).toContain('\n      ["C1",{"code":"C1","rate":"1"}]\n');
  expect(readdirSync(folder).sort()).toEqual(["data.json", "data.json.journal"]);

  const again = fileStoreAt();
  expect(again.load()).toEqual({ snapshot: dumpOf(upTo(1)), changes: [] });
  again.close(() => {
    throw new Error("there is nothing to compact");
  });
});

it("a file store treats an empty file as absent", () => {
  writeFileSync(file, "");
  expect(fileStoreAt().load()).toBeUndefined();
});

it("a file store preserves unicode and line breaks across read chunks", () => {
  const texts = ["é", "Ωλ日本", "💸👩‍👩‍👧", "\ud83d", "a\nb\r\n\u2028\u2029", "\u0000", "💸".repeat(900_000)];
  const store = fileStoreAt();
  store.load();
  texts.forEach((text, index) => {
    store.append(change(index + 1, text), none);
  });
  crash();
  const reopened = fileStoreAt();
  const model = modelOf(reopened.load());
  expect([...model.rates.values()]).toEqual(texts);
  reopened.close(() => dumpOf(model));
  expect(modelOf(fileStoreAt().load())).toEqual(model);
});

it("file store drops an incomplete last line and reports it once", () => {
  const store = fileStoreAt();
  store.load();
  store.append(change(1), none);
  store.append(change(2), none);
  const goodBytes = journalBytes().length;
  store.append(change(3, "é日💸 end"), none);
  const whole = journalBytes();
  for (let bytes = goodBytes; bytes < whole.length; bytes++) {
    crash();
    writeFileSync(`${file}.journal`, whole.subarray(0, bytes));
    const notices: string[] = [];
    const torn = fileStoreAt({ onNotice: (notice) => notices.push(notice) });
    expect(modelOf(torn.load())).toEqual(upTo(2));
    expect(journalBytes()).toHaveLength(goodBytes);
    const dropped = `${file}.journal: dropped its last ${bytes - goodBytes} bytes`;
    expect(notices).toEqual(bytes === goodBytes ? [] : [expect.stringContaining(dropped)]);
    torn.append(change(3), none);
    crash();
    expect(modelOf(fileStoreAt().load())).toEqual(upTo(3));
  }
});

it("file store drops zeros after the last line, as left by a power loss", () => {
  const store = fileStoreAt();
  store.load();
  store.append(change(1), none);
  crash();
  appendFileSync(`${file}.journal`, Buffer.alloc(4096));
  expect(modelOf(fileStoreAt().load())).toEqual(upTo(1));
});

it("file store is empty when the only line is incomplete", () => {
  writeFileSync(`${file}.journal`, encodeLine(change(1)).subarray(0, 30));
  expect(fileStoreAt().load()).toBeUndefined();
});

const line = (seq: number): string => encodeLine(change(seq)).toString();
const journal = (...lines: readonly string[]) => ({ journal: lines.join("") });
const puts = (...record: readonly unknown[]) =>
  journal(encodeLine({ ...change(1), puts: [record] } as unknown as Change).toString());
const other = (value: unknown) => journal(encodeLine(value as Change).toString());
/** A snapshot with these fields changed. */
const changed = (fields: object) => ({ snapshot: JSON.stringify({ ...dumpOf(upTo(1)), ...fields }) });

it.each<[string, { snapshot?: string; journal?: string }, string]>([
  [
    "a broken line in the middle",
    journal(line(1), line(2).replace("rates", "rules"), line(3)),
    "journal line 2: its checksum does not match",
  ],
  ["a gap", journal(line(1), line(3)), "journal line 2: change 3 where change 2 belongs"],
  ["a duplicate line", journal(line(1), line(1)), "journal line 2: change 1 where"],
  ["a journal without its snapshot", journal(line(5)), "journal line 1: change 5 where change 1 belongs"],
  ["a gap after the snapshot", { ...changed(dumpOf(upTo(2))), ...journal(line(4)) }, "change 4 where"],
  ["a line that is not a change", other([]), "journal line 1: JSON, but not a change"],
  ["a line that is null", other(null), "journal line 1: JSON, but not a change"],
  ["a change of an unknown collection", puts("rules", "C1", {}), "journal line 1: JSON, but not a change"],
  ["a change with an invalid record", puts("rates", "C1", "1"), "journal line 1: JSON, but not a change"],
  [
    "a last line that is complete, but wrong",
    journal(line(1), line(2).replace("}", "]")),
    "journal line 2: its checksum does not match",
  ],
  ...[1, 2, 3, 40].map((bytes): [string, { journal: string }, string] => [
    `a last line whose last ${bytes} bytes are zeros`,
    journal(line(1), line(2).slice(0, -bytes), "\0".repeat(bytes)),
    "journal line 2: its end is zeros",
  ]),
  ["an empty last line", journal(line(1), "\n"), "journal line 2: it does not begin with"],
  ["a garbage last line", journal(line(1), "garbage"), "journal line 2: it does not begin with"],
  ["a last line that is too long", journal(line(1).trim(), "}\n"), "bytes where it says"],
  ["a last line whose newline is damaged", journal(line(1).trim(), "\v"), "bytes where it says"],
  ["a torn snapshot", { snapshot: '{"version":1,' }, "data.json: not JSON"],
  ["another version", changed({ version: 2 }), "has version 2"],
  ["another program's JSON", { snapshot: '{"posts":[]}' }, "not a snapshot of this program"],
  ["a null snapshot", { snapshot: "null" }, "not a snapshot of this program"],
  [
    "a snapshot with an invalid record",
    changed({ collections: { charges: [["ch_1", null]] } }),
    "not a snapshot of this program",
  ],
  [
    "a snapshot with an invalid collection",
    changed({ collections: { namespace: null } }),
    "not a snapshot of this program",
  ],
  ["a snapshot with other members", changed({ chefsum: "00000000" }), "not a snapshot of this program"],
  [
    "a snapshot whose checksum does not match",
    { snapshot: `{"checksum":"${"0".repeat(64)}",${JSON.stringify(dumpOf(upTo(1))).slice(1)}` },
    "its checksum does not match: it is damaged or was edited",
  ],
  [
    "a snapshot whose checksum is not first",
    changed({ checksum: "00000000" }),
    'removing "checksum" from the file',
  ],
])("%s", (_name, { snapshot, journal }, message) => {
  if (snapshot !== undefined) writeFileSync(file, snapshot);
  if (journal !== undefined) writeFileSync(`${file}.journal`, journal);
  let error: unknown;
  try {
    fileStoreAt().load();
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(StoreError);
  const text = (error as StoreError).message;
  expect(text).toContain(message);
  expect(text).toContain(file);
  expect(text).toMatch(/^[^\n]*backup[^\n]*$/);
  // No file is changed, and the lock is released.
  if (snapshot !== undefined) expect(readFileSync(file, "utf8")).toBe(snapshot);
  if (journal !== undefined) expect(readFileSync(`${file}.journal`, "utf8")).toBe(journal);
  expect(existsSync(`${file}.lock`)).toBe(false);
});

it("file store refuses a missing folder, and a file in place of a folder", () => {
  const missing = join(folder, "no", "data.json");
  expect(() => fileStoreAt({ file: missing }).load()).toThrow(
    /the folder .*no does not exist\. Create it first\.$/,
  );
  writeFileSync(file, "");
  expect(() => fileStoreAt({ file: join(file, "x.json") }).load()).toThrow(StoreError);
  expect(existsSync(join(folder, "no"))).toBe(false);
});

it("file store refuses changes out of order", () => {
  const store = fileStoreAt();
  expect(() => store.append(change(1), none)).toThrow("not open");
  store.load();
  expect(() => store.load()).toThrow("open already");
  store.append(change(1), none);
  store.append(change(2), none);
  expect(() => store.append(change(2), none)).toThrow("change 2 cannot follow change 2");
  expect(() => store.append(change(4), none)).toThrow("change 4 cannot follow change 2");
  expect(() => store.replace(dumpOf(upTo(1)))).toThrow("cannot replace");
  expect(() => store.close(() => dumpOf(upTo(1)))).toThrow("the dump is at change 1, the journal at 2");
  expect(() => store.append(change(3), none)).toThrow("not open");
  // The journal is complete, so nothing is lost.
  expect(modelOf(fileStoreAt().load())).toEqual(upTo(2));
});

it("completes short writes", () => {
  const io: Partial<StoreIo> = {
    writeSync: (fd, buffer, offset, length, position) =>
      writeSync(fd, buffer, offset, Math.min(length, 7), position),
  };
  const store = fileStoreAt({ io });
  store.load();
  for (let seq = 1; seq <= 5; seq++) store.append(change(seq), none);
  crash();
  expect(modelOf(fileStoreAt().load())).toEqual(upTo(5));
  store.close(() => dumpOf(upTo(5)));
});

it("a file store fails when the disk writes zero bytes", () => {
  const store = fileStoreAt({ io: { writeSync: () => 0 } });
  store.load();
  expect(() => store.append(change(1), none)).toThrow("took none of the bytes");
});

it("file store accepts no changes after a failed sync", async () => {
  let fsync: StoreIo["fsyncSync"] = fsyncSync;
  const store = fileStoreAt({ fsync: true, io: { fsyncSync: (fd) => fsync(fd) } });
  const safe: number[] = [];
  const failed: unknown[] = [];
  store.load({ onSafe: (seq) => safe.push(seq), onFailed: (error) => failed.push(error) });
  store.append(change(1), none);
  await yieldToEventLoop();
  fsync = failing("EIO");
  store.append(change(2), none);
  await yieldToEventLoop();
  expect([safe, failed]).toEqual([[1], [expect.objectContaining({ message: expect.stringMatching("EIO") })]]);
  fsync = fsyncSync;
  const before = journalBytes();
  expect(() => store.append(change(3), none)).toThrow("no more changes are taken");
  expect(() => store.replace(dumpOf(upTo(3)))).toThrow("no more changes are taken");
  store.close(() => dumpOf(upTo(2)));
  expect(journalBytes()).toEqual(before);
  expect(modelOf(fileStoreAt().load())).toEqual(upTo(2));
});

it("file store writes nothing after an incomplete line", () => {
  let room = Number.POSITIVE_INFINITY;
  let truncate: StoreIo["ftruncateSync"] = ftruncateSync;
  const store = fileStoreAt({
    io: { writeSync: writeWithin(() => room), ftruncateSync: (fd, bytes) => truncate(fd, bytes) },
  });
  store.load();
  store.append(change(1), none);
  room = 10;
  truncate = failing("EIO");
  expect(() => store.append(change(2), none)).toThrow("ENOSPC");
  const partial = journalBytes();
  room = Number.POSITIVE_INFINITY;
  expect(() => store.append(change(2), none)).toThrow(StoreError);
  expect(() => store.append(change(2), none)).toThrow(/cannot be cut off.*EIO/);
  expect(journalBytes()).toEqual(partial);
  truncate = ftruncateSync;
  store.append(change(2), none);
  crash();
  expect(modelOf(fileStoreAt().load())).toEqual(upTo(2));
});

it.each([
  ["writing", { writeSync: failing("ENOSPC") }],
  ["syncing", { fsyncSync: failing("EIO"), fsync: async () => failing("EIO")() }],
  ["renaming", { renameSync: failing("EACCES") }],
])("a file store loses nothing when %s a snapshot fails", async (_name, broken) => {
  let io: StoreIo = nodeIo;
  const store = fileStoreAt({
    compactAtBytes: 0,
    io: {
      writeSync: (...args) => io.writeSync(...args),
      fsyncSync: (fd) => io.fsyncSync(fd),
      fsync: (fd) => io.fsync(fd),
      renameSync: (from, to) => io.renameSync(from, to),
    },
  });
  store.load();
  store.replace(dumpOf(upTo(1)));
  let seq = 1;
  while (journalBytes().length <= 2 * statSync(file).size) store.append(change(++seq), none);
  io = { ...nodeIo, ...broken };
  expect(() => store.replace(dumpOf(upTo(seq + 9)))).toThrow();
  expect(await store.compactIfLarge(() => dumpOf(upTo(seq)))).toBeInstanceOf(StoreError);
  // It does not retry with every change.
  const noDump = (): never => {
    throw new Error("asked for a dump too soon");
  };
  expect(store.compactIfLarge(noDump)).toBeUndefined();
  expect(existsSync(`${file}.tmp`)).toBe(false);
  io = nodeIo;
  store.append(change(++seq), none);
  crash();
  expect(modelOf(fileStoreAt().load())).toEqual(upTo(seq));
});

it.each([
  ["EACCES", "Let this user read and write there, or use another path."],
  ["EPERM", "Let this user read and write there, or use another path."],
  ["EROFS", "Let this user read and write there, or use another path."],
  ["ENOSPC", "Free some space there."],
])("an error message of %s suggests what to do", (code, fix) => {
  const store = fileStoreAt({ io: { writeSync: failing(code) } });
  store.load();
  expect(() => store.append(change(1), none)).toThrow(
    `Cannot write ${file}.journal: ${code}: injected. ${fix}`,
  );
});

it("a file store releases the file when the final snapshot fails", () => {
  const store = fileStoreAt({ io: { renameSync: failing("EACCES") } });
  store.load();
  store.append(change(1), none);
  expect(() => store.close(() => dumpOf(upTo(1)))).toThrow("EACCES");
  expect(modelOf(fileStoreAt().load())).toEqual(upTo(1));
});

it("file store refuses a snapshot that is too large to read", () => {
  const snapshot = new SnapshotFile(file, nodeIo, 2_000);
  snapshot.write(dumpOf(upTo(1)), () => {});
  expect(() => snapshot.write(dumpOf(upTo(1_000)), () => {})).toThrow(StoreError);
  expect(snapshot.read()).toEqual(dumpOf(upTo(1)));
});

/** A disk that fails after the given number of bytes. */
function writeWithin(room: () => number): StoreIo["writeSync"] {
  return (fd, buffer, offset, length, position) => {
    const left = room() - offset;
    if (left <= 0) return failing("ENOSPC")();
    return writeSync(fd, buffer, offset, Math.min(length, left), position);
  };
}

it("a file store compacts less often as the data grows", async () => {
  const store = fileStoreAt({ compactAtBytes: 1_000 });
  store.load();
  let dumps = 0;
  let dumpedRecords = 0;
  const changes = 5_000;
  for (let seq = 1; seq <= changes; seq++) {
    store.append(change(seq), none);
    const refused = await store.compactIfLarge(() => {
      dumps += 1;
      dumpedRecords += seq;
      return dumpOf(upTo(seq));
    });
    expect(refused).toBeUndefined();
  }
  expect(dumps).toBeGreaterThan(2);
  expect(dumpedRecords).toBeLessThan(2 * changes);
  crash();
  expect(modelOf(fileStoreAt().load())).toEqual(upTo(changes));
});

it("a file store compacts a large journal after load", async () => {
  const store = fileStoreAt();
  store.load();
  for (let seq = 1; seq <= 100; seq++) store.append(change(seq), none);
  crash();
  const next = fileStoreAt({ compactAtBytes: 1_000 });
  next.load();
  expect(await next.compactIfLarge(() => dumpOf(upTo(100)))).toBeUndefined();
  expect(journalBytes()).toHaveLength(0);
  expect(() => next.compactIfLarge(failing("unasked"))).not.toThrow();
  crash();
  expect(modelOf(fileStoreAt().load())).toEqual(upTo(100));
});

/** A journal due for compaction, and changes during it. */
function grown(io: Partial<StoreIo> = {}) {
  const text = "x".repeat(4_000);
  const store = fileStoreAt({ compactAtBytes: 1_000, io });
  store.load();
  const model: Model = { seq: 0, rates: new Map() };
  const append = (): void => {
    model.seq += 1;
    model.rates.set(`C${model.seq}`, text);
    store.append(change(model.seq, text), none);
  };
  while (model.seq < 400) append();
  const compact = () => store.compactIfLarge(() => dumpOf(model));
  return { store, model, append, compact };
}

it("a file store that compacts in the background loses no change when killed", async () => {
  let [kills, steps] = [0, 0];
  let beforeStep = (): void => {};
  const step = <Args extends unknown[], Result>(call: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      beforeStep();
      return call(...args);
    };
  };
  const { model, append, compact } = grown({
    writeSync: step(nodeIo.writeSync),
    ftruncateSync: step(nodeIo.ftruncateSync),
    fsyncSync: step(nodeIo.fsyncSync),
    fsync: step(nodeIo.fsync),
    renameSync: step(nodeIo.renameSync),
  });
  const live = file;
  beforeStep = () => {
    steps += 1;
    file = live;
    crash();
    const store = fileStoreAt();
    const found = modelOf(store.load());
    // The change in progress has happened or not.
    expect([model.seq, model.seq - 1]).toContain(found.seq);
    expect(found.rates.size).toBe(found.seq);
    store.close();
    kills += 1;
    file = live;
  };
  let isDone = false;
  const done = compact()!.finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns++) {
    append();
    await new Promise(setImmediate);
  }
  expect(await done).toBeUndefined();
  beforeStep = () => {};
  // The work is done in parts, with a change after each.
  expect(turns).toBeGreaterThan(5);
  expect(kills).toBe(steps);
  expect(journalBytes().toString().match(/\n/g)).toHaveLength(model.seq - 400);
  append();
  crash();
  expect(modelOf(fileStoreAt().load())).toEqual(model);
});

it.each(["replace", "close", "nothing"])("%s cancels an unfinished compaction without loss", async (by) => {
  const { store, model, append, compact } = grown();
  const done = compact()!;
  append();
  expect(existsSync(`${file}.tmp`)).toBe(true);
  if (by === "replace") store.replace(dumpOf(model));
  if (by === "close") store.close(() => dumpOf(model));
  if (by !== "nothing") expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(await done).toBeUndefined();
  crash();
  expect(modelOf(fileStoreAt().load())).toEqual(model);
});

it("a file store can compact at once, without yielding", () => {
  const { model, append, compact } = grown();
  const before = journalBytes().length;
  void compact();
  for (let count = 0; count < 400; count++) append();
  void compact();
  expect(journalBytes().length).toBeGreaterThan(before);
  append();
  void compact();
  expect(journalBytes().length).toBeLessThan(1.1 * before);
  crash();
  expect(modelOf(fileStoreAt().load())).toEqual(model);
});

it("--fsync syncs changes together, and snapshots always", async () => {
  let syncs = 0;
  const io: Partial<StoreIo> = {
    fsyncSync: (fd) => {
      syncs += 1;
      fsyncSync(fd);
    },
  };
  for (const fsync of [false, true]) {
    const store = fileStoreAt({ file: join(folder, `${fsync}.json`), fsync, io });
    store.load();
    syncs = 0;
    store.append(change(1), none);
    store.append(change(2), none);
    await yieldToEventLoop();
    expect(syncs).toBe(fsync ? 1 : 0);
    syncs = 0;
    store.replace(dumpOf(upTo(2)));
    // Syncs the copy before the rename, and the folder after it.
    expect(syncs).toBe(2);
  }
});

const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      code: fc.nat(9),
      text: fc.string({ unit: "binary", maxLength: 8 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("refused append" as const), room: fc.nat(60), cut: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("replace" as const), ahead: fc.nat(3), emptied: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("refused replace" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const), emptied: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("crash" as const), tornBytes: fc.nat(60) }) },
);

it("a file store loads the expected state after any history", () => {
  return fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
      // No run loses power, so syncs are skipped.
      file = join(mkdtempSync(join(folder, "run-")), "data.json");
      let room = Number.POSITIVE_INFINITY;
      let truncate: StoreIo["ftruncateSync"] = ftruncateSync;
      const io: Partial<StoreIo> = {
        writeSync: writeWithin(() => room),
        ftruncateSync: (fd, bytes) => truncate(fd, bytes),
        fsyncSync: () => {},
      };
      const model: Model = { seq: 0, rates: new Map() };
      const reopen = (): FileStore => {
        const next = fileStoreAt({ io, compactAtBytes: 300 });
        expect(modelOf(next.load())).toEqual(model);
        return next;
      };
      let store = reopen();
      for (const op of operations) {
        if (op.do === "append") {
          store.append(change(model.seq + 1, op.text, `C${op.code}`), none);
          model.seq += 1;
          model.rates.set(`C${op.code}`, op.text);
        } else if (op.do === "refused append") {
          room = op.room;
          if (!op.cut) truncate = failing("EIO");
          expect(() => store.append(change(model.seq + 1, "refused".repeat(9)), none)).toThrow(/ENOSPC|EIO/);
        } else if (op.do === "replace") {
          if (!op.emptied) truncate = failing("EIO");
          model.seq += 1 + op.ahead;
          model.rates = new Map([["C0", `replaced at ${model.seq}`]]);
          store.replace(dumpOf(model));
        } else if (op.do === "refused replace") {
          room = 100;
          expect(() => store.replace(dumpOf({ seq: model.seq + 1, rates: new Map() }))).toThrow("ENOSPC");
        } else if (op.do === "compact") {
          if (!op.emptied) truncate = failing("EIO");
          expect(await store.compactIfLarge(() => dumpOf(model))).toBeUndefined();
        } else if (op.do === "reopen") {
          store.close(() => dumpOf(model));
          store = reopen();
        } else {
          const abandoned = store;
          crash();
          const torn = encodeLine(change(model.seq + 1, "💸".repeat(9)));
          // A crash leaves at most one incomplete line.
          if (journalBytes().length === 0 || journalBytes().at(-1) === 0x0a) {
            appendFileSync(`${file}.journal`, torn.subarray(0, op.tornBytes));
          }
          abandoned.close(() => dumpOf(model));
          store = reopen();
        }
        room = Number.POSITIVE_INFINITY;
        truncate = ftruncateSync;
      }
      store.close(() => dumpOf(model));
      reopen().close(() => dumpOf(model));
      opened = [];
    }),
    { numRuns: 150 },
  );
});
