import { type CallExample, isIdOf } from "./example.js";

/** The call as a program of Python's own library; ids that an earlier response gave come from the environment. */
export function pythonOf({ method, url, ids, headers, body, isStream }: CallExample): string {
  const imports = [...(isStream ? [] : ["json"]), ...(ids.length === 0 ? [] : ["os"]), "urllib.request"];
  const address = url.includes("{")
    ? `f"${url.replace(/\{(\w+)\}/g, (_all, name: string) => `{os.environ['${name.toUpperCase()}']}`)}"`
    : `"${url}"`;
  return [
    `import ${imports.join(", ")}`,
    "",
    "request = urllib.request.Request(",
    `    ${address},`,
    `    method="${method}",`,
    ...(headers.length === 0
      ? []
      : [`    headers={${headers.map(([name, value]) => `"${name}": "${value}"`).join(", ")}},`]),
    ...(body === undefined ? [] : [`    data=json.dumps(${literal(body, "", "    ")}).encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as response:",
    ...(isStream
      ? ["    for line in response:", '        print(line.decode(), end="")']
      : ["    print(json.dumps(json.load(response), indent=2))"]),
  ].join("\n");
}

function literal(value: unknown, name: string, indent: string): string {
  if (isIdOf(name, value)) return `os.environ["${name.toUpperCase()}"]`;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const deeper = `${indent}    `;
  const parts = Array.isArray(value)
    ? value.map((part) => literal(part, "", deeper))
    : Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${literal(part, key, deeper)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return parts.length === 0
    ? open + close
    : `${open}\n${parts.map((part) => `${deeper}${part},\n`).join("")}${indent}${close}`;
}
