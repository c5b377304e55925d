import { syncBuiltinESMExports } from "node:module";
import os from "node:os";

import { expect, it } from "vitest";

import { readProfiles, writeProfiles } from "../../../cli/client/profiles.ts";
import { enableCache } from "../../../cli/program/compile-cache.ts";

it("are none for a user id that has no folder, as in containers", async () => {
  const { homedir } = os;
  os.homedir = () => {
    throw new Error("uv_os_homedir returned ENOENT");
  };
  syncBuiltinESMExports();
  try {
    expect(await readProfiles({})).toEqual({ current: "", all: [] });
    // Node 22 caches what it has compiled in that folder.
    enableCache({});
  } finally {
    os.homedir = homedir;
    syncBuiltinESMExports();
  }
});

it("that cannot be saved are an error that says where", async () => {
  const saved = writeProfiles({ XDG_CONFIG_HOME: "/dev/null" }, { current: "", all: [] });
  await expect(saved).rejects.toMatchObject({
    failure: {
      exitCode: 2,
      detail: "/dev/null/platform/profiles.json cannot be written (ENOTDIR).",
      hint: expect.stringContaining("XDG_CONFIG_HOME"),
    },
  });
});
