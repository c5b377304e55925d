import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { CliError, EXIT, usageError } from "../terminal/exit.ts";
import type { JsonObject } from "../terminal/json.ts";
import {
  findLocalProfile,
  LOCAL_PROFILE,
  maskKey,
  profilesFile,
  readProfiles,
  writeProfiles,
} from "../client/profiles.ts";
import type { Profile } from "../client/profiles.ts";
import { findSecrets, findTarget, runningServerOf } from "../client/target.ts";

export const define: Define = (command, run) => {
  const list = command.command("list").description("list saved services; keys are masked");
  list.action(run(listProfiles));
  examples(list, ["platform profiles list"]);

  const add = command
    .command("add")
    .argument("<name>")
    .description("save the address of a service; `login` adds a key");
  add.action(run(addProfile));
  examples(add, ["platform profiles add prod --url https://api.shop.example --store shop-1"]);

  const use = command.command("use").argument("<name>").description("set the default profile");
  use.action(run(useProfile));
  examples(use, ["platform profiles use prod"]);

  const show = command.command("show").description("show which service and key commands use");
  show.action(run(showTarget));
  examples(show, ["platform profiles show", "platform -p prod profiles show --json"]);

  const drop = command.command("remove").argument("<name>").description("remove a profile and its keys");
  drop.action(run(removeProfile));
  examples(drop, ["platform profiles remove staging --yes"]);
};

const COLUMNS = [
  ["NAME", "name"],
  ["URL", "url"],
  ["STORE", "store"],
  ["KEY", "key"],
  ["OPERATOR TOKEN", "token"],
  ["CURRENT", "current"],
] as const;

async function listProfiles(cli: Cli): Promise<void> {
  const { all, current } = await readProfiles(cli.io.env);
  const local = findLocalProfile(cli.cwd)?.profile;
  const rows = [...(local === undefined ? [] : [local]), ...all].map((profile) => masked(profile, current));
  await cli.out.list(rows, COLUMNS);
  if (rows.length === 0 && !cli.out.isJson) cli.out.info("No profiles. `platform login` saves one.");
}

const masked = ({ name, url, store, key, token }: Profile, current: string): JsonObject => ({
  name,
  url,
  store,
  key: maskKey(key),
  token: maskKey(token),
  current: name === current,
});

async function addProfile(cli: Cli, { args: [name = ""] }: Input): Promise<void> {
  assertName(name);
  const url = cli.globals.url ?? (await cli.ask.text("--url", "Address of the service:"));
  if (!URL.canParse(url))
    throw usageError(`${JSON.stringify(url)} is not a URL.`, "--url https://api.shop.example");
  const { all, current } = await readProfiles(cli.io.env);
  if (all.some((profile) => profile.name === name))
    throw usageError(`A profile ${name} already exists.`, `platform profiles remove ${name}`);
  const profile = { name, url: url.replace(/\/+$/, ""), store: cli.globals.store ?? "", key: "", token: "" };
  await writeProfiles(cli.io.env, { current: current === "" ? name : current, all: [...all, profile] });
  await cli.out.value(masked(profile, current === "" ? name : current));
}

async function useProfile(cli: Cli, { args: [name = ""] }: Input): Promise<void> {
  const { all } = await readProfiles(cli.io.env);
  const profile = all.find((candidate) => candidate.name === name) ?? missing(name);
  await writeProfiles(cli.io.env, { current: name, all });
  await cli.out.value(masked(profile, name));
}

async function removeProfile(cli: Cli, { args: [name = ""] }: Input): Promise<void> {
  const { all, current } = await readProfiles(cli.io.env);
  if (!all.some((candidate) => candidate.name === name)) missing(name);
  await cli.ask.confirm(`Remove profile ${name} and its keys?`);
  const left = all.filter((candidate) => candidate.name !== name);
  await writeProfiles(cli.io.env, { current: current === name ? "" : current, all: left });
  await cli.out.value({ name, removed: true });
}

/** Shows the target and key of commands; needs no server. */
async function showTarget(cli: Cli): Promise<void> {
  const target = await findTarget(cli);
  const secrets = await findSecrets(cli, target);
  const running = target.kind === "here" ? runningServerOf(target) : null;
  const url = target.kind === "remote" ? target.url : (running?.url ?? "");
  await cli.out.value({
    target: target.kind === "remote" ? "remote" : running === null ? "in-process" : "running server",
    url,
    profile: target.profile?.name ?? "",
    store: cli.globals.store ?? target.profile?.store ?? "",
    key: secrets.key === null ? "" : maskKey(secrets.key),
    key_source: secrets.key === null ? "" : secrets.keySource,
    operator_token: target.kind === "here" ? "of this folder" : maskKey(secrets.token ?? ""),
    kept_in:
      target.profile?.name === LOCAL_PROFILE ? ".platform/profile.json" : await profilesFile(cli.io.env),
  });
}

/** A name that is safe in a shell and in a file. */
export function assertName(name: string): void {
  if (name === LOCAL_PROFILE)
    throw usageError("The name local is reserved for `platform dev`. Choose another name.");
  if (!/^[a-z0-9][a-z0-9._-]{0,39}$/i.test(name))
    throw usageError(`${JSON.stringify(name)} is not a valid profile name.`);
}

function missing(name: string): never {
  throw new CliError({
    type: "no_profile",
    title: "No such profile",
    detail: `No profile ${JSON.stringify(name)}.`,
    exitCode: EXIT.notFound,
    hint: "platform profiles list",
  });
}
