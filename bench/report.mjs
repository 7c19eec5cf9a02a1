import { cpus, loadavg } from "node:os";
import { ms, perSecond, table, times } from "./table.mjs";

/** Where the figures come from: they mean something only together with it. */
export function machine(cores) {
  const [first] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: `${cpus().length} x ${first?.model.trim() ?? "?"}`,
    pinned: cores === undefined ? "no" : "server and load generator on a core each",
    loadBefore: loadavg()[0],
  };
}

export function machineLine({ date, node, platform, cpu, pinned, loadBefore }) {
  const busy =
    loadBefore > 0.7
      ? `\nThe machine is busy (load ${loadBefore.toFixed(1)}): do not rely on the figures.`
      : "";
  return `${date}, Node ${node}, ${platform}, ${cpu}; pinned: ${pinned}${busy}\n`;
}

/** The last server is the yardstick: bare node:http. Each figure has its multiple of it beside it. */
export function startTable(results) {
  const base = results.at(-1);
  const fields = [
    (one) => one.firstMs.health,
    (one) => Math.min(...one.rounds.health.map(({ firstMs }) => firstMs)),
    (one) => one.firstMs.payins,
    (one) => one.processorMs,
    (one) => one.idleMb,
  ];
  const rows = results.map((one) => [
    one.name,
    ...fields.flatMap((field) =>
      field(one) === undefined ? ["?", "?"] : [field(one).toFixed(0), times(field(one) / field(base))],
    ),
  ]);
  const columns = ["health, ms", "fastest", "payins, ms", "CPU ms", "idle MB"];
  const head = ["", ...columns.flatMap((column) => [column, "x http"])];
  return table("Start to the first 200, and idle memory", head, rows);
}

export function throughputTable(results) {
  const rows = results.map(({ name, connections, sandbox, hono, emulate, ratio }) => [
    name,
    String(connections),
    perSecond(sandbox.perSecond),
    perSecond(hono.perSecond),
    times(ratio),
    emulate === undefined ? "" : perSecond(emulate.perSecond),
    ms(sandbox.p50Ms),
    ms(hono.p50Ms),
    ms(sandbox.p99Ms),
    ms(hono.p99Ms),
    sandbox.processorUs?.toFixed(0) ?? "?",
    hono.processorUs?.toFixed(0) ?? "?",
  ]);
  return table(
    "Throughput: the sandbox and bare Hono with answers of the same size, in turns; emulate's payment intents",
    [
      "request",
      "conns",
      "req/s",
      "Hono",
      "ratio",
      "emulate",
      "p50 ms",
      "Hono",
      "p99 ms",
      "Hono",
      "CPU us",
      "Hono",
    ],
    rows,
  );
}

/** A column a size; `runs` are those in memory and on disk, which need not have the same sizes. */
export function growthTable(runs) {
  const sizes = [...new Set(runs.flat().map(({ size }) => size))].sort((a, b) => a - b);
  const rows = runs.flatMap((run) =>
    run[0].rows.map(({ name }, index) => {
      const at = (size) => run.find((one) => one.size === size)?.rows[index].p50Ms;
      const growth = at(run.at(-1).size) / at(run[0].size);
      return [name, ...sizes.map((size) => at(size)?.toFixed(3) ?? ""), times(growth)];
    }),
  );
  const memory = (size) => runs[0].find((one) => one.size === size)?.residentMb?.toFixed(0) ?? "";
  rows.push(["resident MB, in memory", ...sizes.map(memory), ""]);
  const [first, last] = [runs[0][0], runs[0].at(-1)];
  const bytes = ((last.residentMb - first.residentMb) * 1024 * 1024) / (last.size - first.size);
  rows.push(["bytes a charge, its events with it", ...sizes.slice(1).map(() => ""), bytes.toFixed(0), ""]);
  return table(
    "Growth: p50 in ms over one connection, by the number of charges",
    ["", ...sizes.map((size) => size.toLocaleString("en")), "last/first"],
    rows,
  );
}
