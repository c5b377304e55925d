import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = new URL("../..", import.meta.url).pathname;

// Another engine, made by the steps of CONTRIBUTING.md in a copy of the sources: nothing else has to be edited for it.
const ENGINE: Readonly<Record<string, string>> = {
  "schema.ts": `
import { z } from "zod";

import { resourceFields } from "../../core/schema.ts";

export const Voucher = z.strictObject({ ...resourceFields, title: z.string().min(1).max(80) });
export type Voucher = z.output<typeof Voucher>;
`,
  "repository.ts": `
import { defineCollection } from "../../core/collection.ts";
import { Voucher } from "./schema.ts";

export const vouchers = defineCollection({ name: "vouchers.vouchers", schema: Voucher });
`,
  "rules/title-of.ts": `
/** A title without blanks around it. */
export const titleOf = (text: string): string => text.trim();
`,
  "routes/vouchers.ts": `
import { z } from "zod";

import { resource } from "../../../core/resource.ts";
import { withVersion } from "../../../core/schema.ts";
import { vouchers } from "../repository.ts";
import { titleOf } from "../rules/title-of.ts";
import { Voucher } from "../schema.ts";

const voucher = resource({
  id: "vouchers.vouchers",
  collection: vouchers,
  view: withVersion(Voucher),
  example: "vou_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

export const voucherRoutes = [
  voucher.list({ summary: "List vouchers" }),
  voucher.create({
    summary: "Create a voucher",
    body: z.strictObject({ title: Voucher.shape.title }),
    example: { body: { title: "A free loaf" } },
    make(body, { tx, newId, nowAt }): Voucher {
      const id = newId("vou");
      tx.emit({ id: newId("evt"), type: "vouchers.voucher.created", at: nowAt, data: { id } });
      return { id, created_at: nowAt, updated_at: nowAt, title: titleOf(body.title) };
    },
  }),
  voucher.get({ summary: "Show a voucher" }),
];
`,
  "data/events.ts": `
import type { EventType } from "../../../core/engine.ts";

/** Events of the engine. */
export const voucherEvents: readonly EventType[] = [
  {
    type: "vouchers.voucher.created",
    summary: "A voucher was created.",
    example: { id: "vou_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
  },
];
`,
  "demo.ts": `
import { createNewId } from "../../core/ids.ts";
import { toInstant } from "../../lib/instant.ts";
import type { Voucher } from "./schema.ts";

/** Vouchers of the demo shop. */
export function demoVouchers(now: number): readonly Voucher[] {
  const at = toInstant(now);
  const newId = createNewId({ now: () => now }, { bytes: (length) => new Uint8Array(length), next: () => 0 });
  return [{ id: newId("vou"), created_at: at, updated_at: at, title: "A free loaf" }];
}
`,
  "index.ts": `
import { defineEngine, seedSet } from "../../core/engine.ts";
import { voucherEvents } from "./data/events.ts";
import { demoVouchers } from "./demo.ts";
import { vouchers } from "./repository.ts";
import { voucherRoutes } from "./routes/vouchers.ts";

export const vouchersEngine = defineEngine({
  name: "vouchers",
  summary: "Vouchers that a shop hands out",
  routes: voucherRoutes,
  events: voucherEvents,
  seed: (now) => [seedSet(vouchers, demoVouchers(now))],
});
`,
};
const TESTS: Readonly<Record<string, string>> = {
  "title-of.test.ts": `
import { expect, it } from "vitest";

import { titleOf } from "../../../server/engines/vouchers/rules/title-of.ts";

it("removes blanks around a title", () => expect(titleOf(" Loaf ")).toBe("Loaf"));
`,
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "platform-twelfth-"));
  // What a clone contains, and what is not committed yet.
  const list = ["ls-files", "--cached", "--others", "--exclude-standard"];
  const { stdout } = await run("git", list, { cwd: ROOT, maxBuffer: 8_388_608 });
  for (const file of stdout.split("\n").filter((name) => name !== ""))
    await cp(join(ROOT, file), join(folder, file)).catch((error: NodeJS.ErrnoException) => {
      // Deleted, and not committed yet.
      if (error.code !== "ENOENT") throw error;
    });
  // The build writes types by a generator of the workspace.
  for (const place of ["node_modules", "test/clients/node_modules"])
    await symlink(join(ROOT, place), join(folder, place));
  await write("server/engines/vouchers", ENGINE);
  await write("test/engines/vouchers", TESTS);
  const registry = join(folder, "server/engines.ts");
  const text = await readFile(registry, "utf8");
  const line = 'vouchers: async () => (await import("./engines/vouchers/index.ts")).vouchersEngine,';
  const added = text.replace(/\n\};/, `\n  ${line}\n};`);
  expect(added.split("\n").length - text.split("\n").length).toBe(1);
  await writeFile(registry, added);
  await run("git", ["init", "--quiet"], { cwd: folder });
  await run("npm", ["run", "build"], { cwd: folder });
}, 900_000);
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function write(to: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, to, name)), { recursive: true });
    await writeFile(join(folder, to, name), text.trimStart());
  }
}

async function node(args: readonly string[]): Promise<string> {
  const { NODE_OPTIONS: _, VITEST: __, FORCE_COLOR: ___, ...env } = process.env;
  const options = { cwd: folder, env: { ...env, NO_COLOR: "1" }, maxBuffer: 33_554_432 };
  const { stdout } = await run(process.execPath, args, options).catch((error: unknown) => {
    const { stdout, stderr } = Object(error);
    const failed = String(stdout)
      .split("\n")
      .filter((line) => !line.includes("✓"));
    throw new Error([...failed, ...String(stderr).split("\n").slice(0, 120)].join("\n"));
  });
  return stdout;
}

const cli = (...args: readonly string[]) =>
  node(["--import", "./test/support/typescript.mjs", "bin/platform.ts", ...args]);

describe("another engine", () => {
  it("type-checks", () => node(["node_modules/typescript/bin/tsc", "-p", "test", "--noEmit"]), 900_000);

  it("passes the rules of the house, the docs, the CLI, the contract and its own tests without a further edit", async () => {
    const files = [
      "tidy",
      "layers",
      "words",
      "pages/docs",
      "pages/pages",
      "cli/program/contract",
      "cli/calls/resource-commands",
      "contract/access",
      "contract/declared",
      "contract/events",
      "contract/examples",
      "contract/open",
      "contract/tenancy",
      "engines/vouchers/title-of",
    ].map((name) => `test/${name}.test.ts`);
    // Once for all, since each run loads the service.
    const config = ["run", "--config", "test/vitest.config.ts", "--project", "service"];
    const printed = await node(["node_modules/vitest/vitest.mjs", ...config, ...files]);
    expect(printed).toMatch(new RegExp(`Test Files +${files.length} passed \\(${files.length}\\)\n`));
  }, 900_000);

  it("has commands", async () => {
    expect(await cli("--help")).toMatch(/vouchers +Vouchers that a shop hands out/);
    expect(await cli("vouchers", "create", "--help")).toContain("--title <text>");
    expect(await cli("complete", "--", "keys", "issue", "--scope", "vou")).toContain("vouchers:manage");
  }, 120_000);
});
