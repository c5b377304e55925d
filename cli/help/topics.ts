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

\`call\` and the commands of the engines also print the body of an error response to stdout; \`call --no-fail\` exits with 0.
`,
  environment: `Variables that client commands read.

${table([
  ["PLATFORM_URL", "address of the service, as --url"],
  ["PLATFORM_PROFILE", "profile, as --profile"],
  ["PLATFORM_API_KEY", "API key for call and the commands of the engines"],
  ["PLATFORM_ADMIN_TOKEN", "operator token for a remote service"],
  ["PLATFORM_STORE", "store to use, as --store"],
  ["PLATFORM_CONFIG", "configuration file, as --config"],
  ["PLATFORM_DEBUG", "if not empty: as --verbose"],
  ["NO_COLOR, FORCE_COLOR", "disable or force colors"],
  ["HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "forward proxy for --url and profiles, and hosts without it"],
  ["CI", "if not empty: never prompt"],
  ["XDG_CONFIG_HOME", "folder of platform/profiles.json"],
])}

For the variables of the service see platform config show --origin and platform config schema.
`,
  formatting: `Data goes to stdout, everything else to stderr.

${table([
  ["on a terminal", "tables; times in the local time zone"],
  ["in a pipe, or --plain", "tab-separated values without a header; times in RFC 3339, UTC"],
  ["--jq <filter>", "the output of jq for that document (for each line of a stream); strings without quotes"],
  ["--json", 'one document: {"data":…,"meta":…}; streams print one document per line'],
  ["--quiet", "only errors on stderr"],
])}

Errors have four lines on stderr: what, where, why, what to try next. With --json they are one document:
  {"error":{"type","title","status","detail"},"where","hint","exit_code","request_id"}

The commands of the engines print tables on a terminal, tab-separated values with --plain, and the body in a pipe.
\`call\` prints the body unchanged in a pipe, and indented on a terminal.
`,
  profiles: `The target of a command is the first of these that applies:

  1. --url, --profile, PLATFORM_URL or PLATFORM_PROFILE
  2. the service of this folder (a platform.config.* or .platform/ here or above): its running server,
     or else its storage, opened by the command
  3. the current profile (platform profiles use <name>)
  4. the default configuration in this folder

A key is read from --key-file, PLATFORM_API_KEY or the profile, in this order; there is no option for the key itself. The key
of a profile is sent only to the address of that profile. Profiles are stored in $XDG_CONFIG_HOME/platform/profiles.json as
plain text, readable only by you. \`platform profiles show\` prints the target and key in use.
`,
  scripting: `Scripts can rely on exit codes (platform help exit-codes), on stdout containing only data, and on no prompts without
a terminal.

  KEY=$(platform keys issue --customer cus_… --preset read-only -q)     only the key is on stdout
  platform login --url https://api.shop.example --key-file - <<<"$KEY"  never on the command line
  platform call reviews --all --jq      '.data[].id'                    all pages, then the filter
  platform call reviews --ndjson --jq .rating                           one line per item
  platform call POST /v1/reviews --input - --idempotency-key auto --retry 3 < review.json
  platform call reviews --wait-on-429 5m                                wait for the next rate limit window
  platform call POST /v1/reviews -F rating=5 --dry-run                  print the curl command, key masked

--yes confirms every yes/no prompt. Irreversible actions prompt for a name instead: pass it with --confirm.
`,
  completion: `Tab completes commands, options, topics, mail templates and paths of routes. No server is needed.

  bash        source <(platform completion bash)                        in ~/.bashrc
  zsh         platform completion zsh > ~/.zfunc/_platform              a folder of $fpath, before compinit
  fish        platform completion fish > ~/.config/fish/completions/platform.fish
  powershell  platform completion powershell | Out-String | Invoke-Expression
`,
  agents: `\`platform mcp\` serves the routes that your key's scopes cover as tools of the Model Context Protocol.

  platform mcp                                    on stdin and stdout; started by the agent
  platform mcp --namespace delivery,catering      one tool per route of these engines
  platform mcp --read-only                        only routes that read
  platform mcp --http 127.0.0.1:3333              streamable HTTP at /mcp; each request has its own key

Without --namespace there are four tools: search the routes, describe one, read, write. This keeps several hundred routes
out of the context of the agent. To restrict an agent, use a key with few scopes: platform keys issue --preset read-only.

  {"mcpServers":{"shop":{"command":"platform","args":["mcp"],"env":{"PLATFORM_URL":"…","PLATFORM_API_KEY":"…"}}}}
`,
};
