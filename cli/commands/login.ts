import { keyClass } from "../../server/core/key-format.ts";
import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { CliError, EXIT, usageError } from "../terminal/exit.ts";
import { text } from "../command/globals.ts";
import { textOf, member } from "../terminal/json.ts";
import { createApi } from "../client/connect.ts";
import { exchange } from "../client/operator.ts";
import { maskKey, readProfiles, writeProfiles } from "../client/profiles.ts";
import type { Profile } from "../client/profiles.ts";
import { isOperatorToken, isSameOrigin, readKeyFile } from "../client/target.ts";
import { assertName } from "./profiles.ts";

export const define: Define = (command, run) => {
  command
    .option("--name <name>", "name of the profile; default: the host name")
    .option("--no-check", "save the key without verifying it")
    .action(run(login));
  examples(command, [
    "platform login --url https://api.shop.example",
    "platform login --url https://api.shop.example --key-file - < key.txt",
  ]);
};

/** The key is read from a masked prompt, a file or stdin; never from the command line. */
async function login(cli: Cli, { options }: Input): Promise<void> {
  const { all } = await readProfiles(cli.io.env);
  const known = all.find(({ name }) => name === cli.globals.profile);
  const url = cli.globals.url ?? known?.url ?? (await cli.ask.text("--url", "Address of the service:"));
  if (!URL.canParse(url))
    throw usageError(`${JSON.stringify(url)} is not a URL.`, "--url https://api.shop.example");
  const name = text(options, "name") ?? known?.name ?? new URL(url).hostname.replaceAll(":", "-");
  assertName(name);
  const secret = await readSecret(cli);
  const before = all.find((profile) => profile.name === name);
  const profile = withSecret(before ?? { name, url, store: "", key: "", token: "" }, secret, cli, url);
  const store = options.check !== false ? await checkSecret(cli, profile, secret) : "";
  const others = all.filter((candidate) => candidate.name !== name);
  const file = await writeProfiles(cli.io.env, { current: name, all: [...others, profile] });
  cli.out.info(`Saved in ${file}, readable only by you.`);
  await cli.out.value({ name, url: profile.url, key: maskKey(secret), ...(store === "" ? {} : { store }) });
}

async function readSecret(cli: Cli): Promise<string> {
  const file = cli.globals.keyFile;
  const given =
    file === undefined ? (cli.io.env.PLATFORM_API_KEY ?? "") : await readKeyFile(file, cli.io, cli.cwd);
  const secret = (given === "" ? await cli.ask.secret("--key-file", "API key:") : given).trim();
  const isConfigured = !secret.startsWith("plat_") && isOperatorToken(secret);
  if (keyClass(secret) === null && !isConfigured) {
    throw new CliError({
      type: "invalid_key",
      title: "Invalid key",
      detail: "This is not a key of this service. A character may be missing.",
      exitCode: EXIT.unauthorized,
      hint: "copy it again, from plat_ to the end",
    });
  }
  return secret;
}

function withSecret(profile: Profile, secret: string, cli: Cli, url: string): Profile {
  const isToken = isOperatorToken(secret);
  // What was saved for another address is not sent to this one.
  const { key, token, store } = isSameOrigin(profile.url, url) ? profile : { key: "", token: "", store: "" };
  const { name } = profile;
  const base = { name, key, token, url: url.replace(/\/+$/, ""), store: cli.globals.store ?? store };
  return isToken ? { ...base, token: secret } : { ...base, key: secret };
}

/** Verifies the key with the service. Returns the store of the key. */
async function checkSecret(cli: Cli, profile: Profile, secret: string): Promise<string> {
  const isToken = isOperatorToken(secret);
  const secrets = { key: isToken ? null : secret, token: isToken ? secret : null, keySource: "" };
  const api = createApi(cli, { url: profile.url, label: profile.url, secrets, store: profile.store });
  const request = isToken
    ? ({ method: "GET", path: "/api/platform/admin/plans", as: "operator" } as const)
    : ({ method: "GET", path: "/v1/account", as: "key" } as const);
  const data = member(await exchange(api, request), "data");
  return textOf(member(data, "store"), "identifier");
}
