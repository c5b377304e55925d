import { EXIT_TABLE } from "../terminal/exit.ts";

const table = (rows: readonly (readonly [string, string])[]): string =>
  rows
    .map(([left, right]) => `  ${left.padEnd(Math.max(...rows.map(([name]) => name.length)))}  ${right}`)
    .join("\n");

export const TOPIC_NAMES = [
  "exit-codes",
  "environment",
  "formatting",
  "profiles",
  "scripting",
  "completion",
  "agents",
];

/** Pages of `platform help <topic>`. */
export const TOPICS: Readonly<Record<string, string>> = {
  "exit-codes": `Exit codes of every command.

${table(EXIT_TABLE.map(([code, meaning]) => [String(code), meaning]))}

\`call\` and the commands of the engines print the body of an error on stdout as well; with --no-fail they exit with 0.
`,
  environment: `Variables that client commands read.

${table([
  ["PLATFORM_URL", "address of the service, as --url"],
  ["PLATFORM_PROFILE", "profile, as --profile"],
  ["PLATFORM_API_KEY", "API key for call and the engines' commands"],
  ["PLATFORM_ADMIN_TOKEN", "operator token for a service elsewhere"],
  ["PLATFORM_STORE", "store to speak for, as --store"],
  ["PLATFORM_CONFIG", "configuration file, as --config"],
  ["PLATFORM_DEBUG", "when not empty: as --verbose"],
  ["NO_COLOR, FORCE_COLOR", "no colours, or colours in any case"],
  ["CI", "when not empty: never ask"],
  ["XDG_CONFIG_HOME", "folder of platform/profiles.json"],
])}

The settings of the service have variables of their own: platform config show --origin, platform config schema.
`,
  formatting: `Data goes to stdout, everything else to stderr.

${table([
  ["on a terminal", "tables; times in the zone of this machine"],
  ["on a pipe, or --plain", "tab-separated values without a header; times in RFC 3339, UTC"],
  ["--jq <filter>", "what a jq filter makes of that document (of each, for streams); texts without quotes"],
  ["--json", 'one document: {"data":…,"meta":…}; streams give one document per line'],
  ["--quiet", "nothing on stderr but errors"],
])}

Errors are four lines on stderr: what, where, why, what to type next. With --json they are one document:
  {"error":{"type","title","status","detail"},"where","hint","exit_code","request_id"}

\`call\` prints the body as it came when stdout is a pipe, and indented on a terminal.
`,
  profiles: `Where a command goes, the first that applies:

  1. --url, --profile, PLATFORM_URL or PLATFORM_PROFILE
  2. the service of this folder (a platform.config.* or .platform/ here or above): its running server,
     or else its storage, opened by the command itself
  3. the current profile (platform profiles use <name>)
  4. the defaults in this folder

A key comes from --key-file, PLATFORM_API_KEY or the profile, in this order, never from the command line, and is sent
to no other address than the one it was saved with. Profiles lie in $XDG_CONFIG_HOME/platform/profiles.json, readable
for you alone, as plain text. \`platform profiles show\` prints what would be used.
`,
  scripting: `A script can rely on the exit code (platform help exit-codes), on stdout holding data only, and on no question being asked
where there is no terminal.

  KEY=$(platform keys issue --customer cus_… --preset read-only -q)     the key alone is on stdout
  platform login --url https://api.shop.example --key-file - <<<"$KEY"  never on a command line
  platform call reviews --paginate --jq '.data[].id'                    all pages, then the filter
  platform call reviews --ndjson --jq .rating                           a line per item, as pages come
  platform call POST /v1/reviews --input - --idempotency-key auto --retry 3 < review.json
  platform call reviews --wait-on-429 5m                                waits for the next window of the limit
  platform call POST /v1/reviews -F rating=5 --dry-run                  the curl command, key masked

--yes answers every question that is a yes or no. What cannot be undone asks for a name instead: give it with --confirm.
`,
  completion: `Tab completes commands, options, topics, mail templates and paths of routes. It asks no server.

  bash        source <(platform completion bash)                        in ~/.bashrc
  zsh         platform completion zsh > ~/.zfunc/_platform              a folder of $fpath, before compinit
  fish        platform completion fish > ~/.config/fish/completions/platform.fish
  powershell  platform completion powershell | Out-String | Invoke-Expression
`,
  agents: `\`platform mcp\` serves the routes that your key's scopes cover as tools of the Model Context Protocol.

  platform mcp                                    on stdin and stdout; the agent starts it
  platform mcp --namespace delivery,catering      these engines' routes as tools of their own
  platform mcp --read-only                        nothing that writes
  platform mcp --http 127.0.0.1:3333              streamable HTTP at /mcp; each request brings its own key

Without --namespace an agent gets four tools: search the routes, describe one, read, write. So several hundred routes do
not fill its context. A key with few scopes is the best fence: platform keys issue --preset read-only.

  {"mcpServers":{"shop":{"command":"platform","args":["mcp"],"env":{"PLATFORM_URL":"…","PLATFORM_API_KEY":"…"}}}}
`,
};
