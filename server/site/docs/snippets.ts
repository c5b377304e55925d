/** A request as a reader would send it. */
export interface SnippetRequest {
  readonly method: string;
  /** Below the address of the service, with its query. */
  readonly path: string;
  readonly body: unknown;
  readonly baseUrl: string;
}

export interface Snippet {
  readonly language: "curl" | "fetch" | "python" | "platform";
  readonly title: string;
  readonly text: string;
}

/** One request in the forms that the documentation shows. The key is in `API_KEY`, for the CLI in `PLATFORM_API_KEY`. */
export const snippetsOf = (request: SnippetRequest): readonly Snippet[] => [
  { language: "curl", title: "curl", text: curlOf(request) },
  { language: "fetch", title: "JavaScript", text: fetchOf(request) },
  { language: "python", title: "Python", text: pythonOf(request) },
  { language: "platform", title: "platform", text: platformOf(request) },
];

function curlOf({ method, path, body, baseUrl }: SnippetRequest): string {
  const lines = [
    `curl${method === "GET" || method === "POST" ? "" : ` -X ${method}`} ${quote(baseUrl + path)}`,
    `-H "Authorization: Bearer $API_KEY"`,
  ];
  if (body !== undefined) lines.push(`-H "Content-Type: application/json"`, `-d ${quote(pretty(body))}`);
  else if (method === "POST") lines.push("-X POST");
  return lines.join(" \\\n  ");
}

function fetchOf({ method, path, body, baseUrl }: SnippetRequest): string {
  const authorization = "Authorization: `Bearer ${process.env.API_KEY}`";
  const headers =
    body === undefined
      ? `{ ${authorization} }`
      : `{\n    ${authorization},\n    "Content-Type": "application/json",\n  }`;
  const members = [
    ...(method === "GET" ? [] : [`method: ${JSON.stringify(method)}`]),
    `headers: ${headers}`,
    ...(body === undefined ? [] : [`body: JSON.stringify(${indent(pretty(body))})`]),
  ];
  const init = `{\n  ${members.join(",\n  ")},\n}`;
  return [
    `const answer = await fetch(${JSON.stringify(baseUrl + path)}, ${init});`,
    "const { data } = await answer.json();",
    "console.log(JSON.stringify(data, null, 2));",
  ].join("\n");
}

function pythonOf({ method, path, body, baseUrl }: SnippetRequest): string {
  const headers = [
    `"Authorization": f"Bearer {os.environ['API_KEY']}"`,
    ...(body === undefined ? [] : [`"Content-Type": "application/json"`]),
  ];
  return [
    "import json, os, urllib.request",
    "",
    "request = urllib.request.Request(",
    `    ${JSON.stringify(baseUrl + path)},`,
    `    method=${JSON.stringify(method)},`,
    `    headers={${headers.join(", ")}},`,
    ...(body === undefined ? [] : [`    data=json.dumps(${pythonLiteral(body, "    ")}).encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as response:",
    `    print(json.dumps(json.load(response)["data"], indent=2))`,
  ].join("\n");
}

/** A JSON value as a literal of Python, further lines indented. */
function pythonLiteral(value: unknown, margin: string): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${margin}    `;
  const parts = Array.isArray(value)
    ? value.map((one) => pythonLiteral(one, inner))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonLiteral(one, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${margin}${close}`;
}

function platformOf({ method, path, body, baseUrl }: SnippetRequest): string {
  const call = `platform call ${method === "GET" ? "" : `${method} `}${quote(path)} --url ${quote(baseUrl)}`;
  return body === undefined ? call : `${call} --input - <<'JSON'\n${pretty(body)}\nJSON`;
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const indent = (text: string): string => text.replaceAll("\n", "\n  ");

/** A word of a POSIX shell. */
const quote = (text: string): string =>
  /^[A-Za-z0-9_./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
