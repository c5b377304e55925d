import { examples } from "../command/command.ts";
import type { Cli, Define } from "../command/command.ts";
import { usageError } from "../terminal/exit.ts";
import { readProfiles, writeProfiles } from "../client/profiles.ts";

export const define: Define = (command, run) => {
  command.action(run(logout));
  examples(command, ["platform logout", "platform logout --profile staging"]);
};

/** Removes the keys of the profile in use; address and store stay. The keys themselves remain valid. */
async function logout(cli: Cli): Promise<void> {
  const { all, current } = await readProfiles(cli.io.env);
  const name = cli.globals.profile ?? current;
  const profile = all.find((candidate) => candidate.name === name);
  if (profile === undefined) throw usageError("No profile to log out of.", "platform profiles list");
  const left = all.map((candidate) =>
    candidate === profile ? { ...profile, key: "", token: "" } : candidate,
  );
  await writeProfiles(cli.io.env, { current, all: left });
  cli.out.info("The key itself is still valid. To revoke it: platform keys revoke <id>");
  await cli.out.value({ name, logged_out: true });
}
