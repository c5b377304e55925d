import { examples } from "../command.ts";
import type { Cli, Define, Input } from "../command.ts";
import { commands } from "../commands.ts";
import { EXIT_TABLE, usageError } from "../exit.ts";

export const define: Define = (command, run) => {
  command
    .argument("[words...]", `a command, or one of: ${Object.keys(TOPICS).join(", ")}`)
    .action(run((cli, input) => showHelp(cli, input, command)));
  examples(command, ["platform help keys issue", "platform help exit-codes"]);
};

async function showHelp(cli: Cli, { args }: Input, self: Parameters<Define>[0]): Promise<void> {
  const [first = ""] = args;
  const topic = Object.hasOwn(TOPICS, first) ? TOPICS[first] : undefined;
  if (topic !== undefined) return cli.out.write(topic);
  const root = self.parent ?? self;
  const found = args.reduce<typeof root | undefined>(
    (above, word) => above?.commands.find((candidate) => candidate.name() === word),
    root,
  );
  if (found === undefined)
    throw usageError(`There is no help about ${args.join(" ")}.`, `platform help ${topicNames()}`);
  found.outputHelp();
}

const topicNames = (): string => [...Object.keys(TOPICS), ...commands.map(({ name }) => name)].join(" | ");

const table = (rows: readonly (readonly [string, string])[]): string =>
  rows
    .map(([left, right]) => `  ${left.padEnd(Math.max(...rows.map(([name]) => name.length)))}  ${right}`)
    .join("\n");

const TOPICS: Readonly<Record<string, string>> = {
  "exit-codes": `Every command ends with one of these codes.

${table(EXIT_TABLE.map(([code, meaning]) => [String(code), meaning]))}

\`call\` and the commands of the engines print the body of an error on stdout as well; --no-fail makes them end with 0.
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
  ["XDG_CONFIG_HOME", "where platform/profiles.json lies"],
])}

The settings of the service have variables of their own: platform config show --origin, platform config schema.
`,
  formatting: `Data goes to stdout, everything else to stderr.

${table([
  ["on a terminal", "tables; times in the zone of this machine"],
  ["on a pipe, or --plain", "tab-separated values without a header; times in RFC 3339, UTC"],
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
for you alone, as plain text. \`platform profiles show\` tells what would be used.
`,
};
