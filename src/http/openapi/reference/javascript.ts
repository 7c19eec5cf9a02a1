import { type CallExample, isIdOf } from "./example.js";

/** The call as a program for Node, Bun or Deno; ids that an earlier response gave come from the environment. */
export function javascriptOf({ method, url, ids, headers, body, isStream }: CallExample): string {
  const address = url.includes("{")
    ? `\`${url.replace(/\{(\w+)\}/g, (_all, id: string) => `\${${nameOf(id)}}`)}\``
    : `"${url}"`;
  const settings = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(headers.length === 0
      ? []
      : ["  headers: {", ...headers.map(([name, value]) => `    "${name}": "${value}",`), "  },"]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body)}),`]),
  ];
  return [
    ...(ids.length === 0
      ? []
      : [`const { ${ids.map(nameOf).join(", ")} } = process.env; // from an earlier response`]),
    settings.length === 0
      ? `const response = await fetch(${address});`
      : `const response = await fetch(${address}, {\n${settings.join("\n")}\n});`,
    isStream
      ? "for await (const chunk of response.body) process.stdout.write(chunk);"
      : "console.log(response.status, JSON.stringify(await response.json(), null, 2));",
  ].join("\n");
}

function nameOf(id: string): string {
  return id.toUpperCase();
}

function literal(body: unknown): string {
  const ids = new Map<string, string>();
  const text = JSON.stringify(
    body,
    (name, value: unknown) => {
      if (!isIdOf(name, value)) return value;
      ids.set(name, nameOf(name));
      return `\0${name}`;
    },
    2,
  );
  return text.replace(/"\\u0000(\w+)"/g, (_all, name: string) => nameOf(name)).replace(/\n/g, "\n  ");
}
