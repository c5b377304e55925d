import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

import { z } from "zod";

import { FIELDS_FILE, listFields } from "./config/fields.ts";
import { systemClock } from "./core/clock.ts";
import { findPackageRoot } from "./core/package-root.ts";
import { recordExamples } from "./examples.ts";
import type { Namespace } from "./http/namespace.ts";
import { compileTemplate } from "./mail/compile.ts";
import { briefOpenApi } from "./openapi/brief.ts";
import { createOpenApi, openApiJson } from "./openapi/document.ts";
import type { OpenApiSource } from "./openapi/document.ts";
import { withExamples } from "./openapi/examples.ts";
import { detailRoutes, listNamespaces, listRoutes } from "./openapi/manifest.ts";
import { OUTLINE_FILE, outlineOfSource } from "./parts.ts";
import { DEMO_FILE, prepareDemo } from "./operations/prepared-demo.ts";
import { documented, engines, eventTypes, namespaces } from "./registry.ts";
import { EXAMPLES_FILE, openApiFile, openApiSource } from "./site/pages/openapi.ts";

/**
 * The part of `npm run build` that tsc does not do: the mail layout becomes HTML, so that mjml (54 MB) is not needed
 * at run time, the OpenAPI document is written, which takes seconds, what pages load in a browser is copied with its licences, so that they work offline, and the list of routes
 * is written down, so that the CLI need not load the engines to know them, and so are its help and the settings.
 */
async function build(root: string, out: string): Promise<void> {
  await compileLayout(join(root, "templates"), join(out, "templates"));
  for (const folder of ["vendor", "client"])
    await copyAssets(join(root, "server", "site", "pages", folder), join(out, "assets"));
  await copyAssets(join(root, "server", "site", "elements", "client"), join(out, "elements"));
  await writeRoutes(join(out, "routes"));
  await writeFile(join(out, FIELDS_FILE), JSON.stringify(listFields()));
  const demo = await prepareDemo(engines, systemClock.now());
  await writeFile(join(out, DEMO_FILE), gzipSync(JSON.stringify(demo)));
  // The server that answers them reads the outline and the demo data, which are written now.
  const examples = await recordExamples();
  await writeDetails(join(out, "routes"), withExamples(namespaces, examples));
  const source = { ...openApiSource(withExamples(documented, examples)), events: eventTypes };
  await writeOpenApi(join(out, "openapi"), source);
  await writeFile(join(out, "openapi", EXAMPLES_FILE), gzipSync(JSON.stringify(examples)));
  if (out !== join(root, "dist")) return;
  await writeHelp(out);
  await writeApiTypes(root, join(out, "server"), source);
  await pruneTypes(root);
}

async function writeOpenApi(to: string, source: Omit<OpenApiSource, "baseUrl">): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of [null, ...new Set(documented.map((one) => one.name))])
    await writeFile(join(to, openApiFile(name)), gzipSync(openApiJson(source, name)));
}

/** The page of `platform --help` in a pipe, which the CLI prints from then on. */
async function writeHelp(out: string): Promise<void> {
  const run = [join(out, "bin", "platform.js"), "--help"];
  const { stdout } = await promisify(execFile)(process.execPath, run, { cwd: out });
  await writeFile(join(out, "help.txt"), stdout);
}

/** Writes `api.d.ts`, the types of all paths, in another process: their generator needs a TypeScript of its own. */
async function writeApiTypes(
  root: string,
  to: string,
  source: Omit<OpenApiSource, "baseUrl">,
): Promise<void> {
  const document = createOpenApi({ ...source, baseUrl: "/" });
  const file = join(to, "api.json");
  await writeFile(file, JSON.stringify(briefOpenApi(document)));
  await promisify(execFile)(process.execPath, [join(root, "test", "clients", "run.mjs"), "api", file, to]);
  await rm(file);
}

/** Keeps the declarations that the exported ones need: the compiler writes one for every source file, 2.6 MB of them. */
async function pruneTypes(root: string): Promise<void> {
  const { exports } = z
    .object({
      exports: z.record(z.string(), z.union([z.string(), z.object({ types: z.string().optional() })])),
    })
    .parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  const needed = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (needed.has(file)) return;
    needed.add(file);
    const text = await readFile(file, "utf8");
    for (const [, name = ""] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)\.[jt]s"/g))
      await visit(join(dirname(file), `${name}.d.ts`));
  };
  for (const entry of Object.values(exports))
    if (typeof entry !== "string" && entry.types !== undefined) await visit(join(root, entry.types));
  const folder = join(root, "dist", "server");
  for (const name of await readdir(folder, { recursive: true })) {
    const file = join(folder, name);
    if (file.endsWith(".d.ts") && !needed.has(file)) await rm(file);
  }
}

async function writeRoutes(to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const lines = listRoutes(namespaces);
  await writeFile(join(to, "index.json"), JSON.stringify(lines));
  await writeFile(join(to, OUTLINE_FILE), JSON.stringify(await outlineOfSource()));
  await writeFile(join(to, "namespaces.json"), JSON.stringify(listNamespaces(namespaces)));
}

async function writeDetails(to: string, shown: readonly Namespace[]): Promise<void> {
  for (const name of new Set(listRoutes(shown).map(({ namespace }) => namespace)))
    await writeFile(join(to, `${name}.json`), JSON.stringify(detailRoutes(shown, name)));
}

async function compileLayout(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const compiled = await compileTemplate("mail", await readFile(join(from, "mail.mjml"), "utf8"));
  await writeFile(join(to, "mail.json"), `${JSON.stringify(compiled)}\n`);
}

async function copyAssets(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from))
    if (!/\.(md|d\.ts)$/.test(name)) await copyFile(join(from, name), join(to, name));
}

const root = findPackageRoot();
await build(root, process.argv[2] ?? join(root, "dist"));
