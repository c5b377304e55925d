import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createOpenApi } from "../../server/openapi/document.ts";
import { introduction } from "../../server/site/docs/introduction.ts";
import { eventTypes, namespaces } from "../../server/registry.ts";

// The document read by tools of others, with their own defaults: what they object to, their users would have to live with.

const ROOT = join(import.meta.dirname, "..", "..");
const run = promisify(execFile);
const LIMITS = { timeout: 300_000, maxBuffer: 64 * 1_048_576 };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "platform-clients-"));
  const document = createOpenApi({
    namespaces,
    events: eventTypes,
    baseUrl: "https://platform.example",
    version: "1.0.0",
    introduction,
  });
  await writeFile(join(folder, "openapi.json"), JSON.stringify(document));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(tool: string): Promise<string[]> {
  const script = join(ROOT, "test", "clients", "run.mjs");
  const { stdout } = await run(
    process.execPath,
    [script, tool, join(folder, "openapi.json"), folder],
    LIMITS,
  );
  return stdout.split("\n").filter(Boolean);
}

/** What the compiler says of a program next to the generated files, with strict settings and no others. */
async function compile(name: string, program: string): Promise<string> {
  await writeFile(join(folder, `${name}.ts`), program);
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const flags = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--types", ""];
  const options = [...flags, "--allowImportingTsExtensions", join(folder, `${name}.ts`)];
  return run(process.execPath, [tsc, ...options], { ...LIMITS, cwd: folder }).then(
    () => "",
    (error: unknown) => (error instanceof Error && "stdout" in error ? String(error.stdout) : String(error)),
  );
}

describe("linters", () => {
  it.each(["redocly", "spectral"])(
    "%s finds no error",
    async (tool) => {
      const lines = await read(tool);
      expect(lines.filter((line) => line.startsWith("error"))).toEqual([]);
    },
    LIMITS.timeout,
  );
});

const WITH_TYPES = `
import type { components, operations, paths } from "./openapi-typescript.ts";
type Zone = components["schemas"]["DeliveryZones"];
type Body = NonNullable<operations["delivery.zones.create"]["requestBody"]>["content"]["application/json"];
export const nameOf = (zone: Zone): string => zone.name;
export const path: keyof paths = "/v1/delivery/zones/{id}";
`;
const WITH_CLIENT = `
import { defaults, deliveryZonesGet } from "./oazapfts.ts";
defaults.baseUrl = "https://platform.example";
export async function nameOf(id: string): Promise<string> {
  const answer = await deliveryZonesGet(id);
  return answer.status === 200 && "data" in answer && "data" in answer.data ? answer.data.data.name : "";
}
`;

describe("generators", () => {
  it.each([
    ["openapi-typescript", WITH_TYPES],
    ["oazapfts", WITH_CLIENT],
  ])(
    "%s writes types that compile strictly, and that refuse a wrong use",
    async (tool, program) => {
      expect(await read(tool)).toEqual([]);
      expect(await compile(`uses-${tool}`, program)).toBe("");
      const wrong = program.replace("string", "number");
      expect(await compile(`misuses-${tool}`, wrong)).toMatch(/error TS2\d+/);
    },
    LIMITS.timeout,
  );
});
