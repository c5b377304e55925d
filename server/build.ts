import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { compileTemplate } from "./mail/compile.ts";
import { findPackageRoot } from "./core/package-root.ts";
import { mailTemplates } from "./mail/render.ts";
import { openApiJson } from "./openapi/document.ts";
import { detailRoutes, listNamespaces, listRoutes } from "./openapi/manifest.ts";
import { documented, eventTypes, namespaces } from "./registry.ts";
import { openApiFile, openApiSource } from "./site/pages/openapi.ts";

/**
 * The part of `npm run build` that tsc does not do: mail templates become HTML, so that mjml (54 MB) is not needed
 * at run time, the OpenAPI document is written, which takes seconds, what pages load in a browser is copied with its licences, so that they work offline, and the list of routes
 * is written down, so that the CLI need not load the engines to know them.
 */
async function build(root: string, out: string): Promise<void> {
  await compileTemplates(join(root, "templates"), join(out, "templates"));
  for (const folder of ["vendor", "client"])
    await copyAssets(join(root, "server", "site", "pages", folder), join(out, "assets"));
  await copyAssets(join(root, "server", "site", "elements", "client"), join(out, "elements"));
  await writeRoutes(join(out, "routes"));
  await writeOpenApi(join(out, "openapi"));
}

async function writeOpenApi(to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const source = { ...openApiSource(documented), events: eventTypes };
  for (const name of [null, ...new Set(documented.map((one) => one.name))])
    await writeFile(join(to, openApiFile(name)), gzipSync(openApiJson(source, name)));
}

async function writeRoutes(to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const lines = listRoutes(namespaces);
  await writeFile(join(to, "index.json"), JSON.stringify(lines));
  await writeFile(join(to, "namespaces.json"), JSON.stringify(listNamespaces(namespaces)));
  for (const name of new Set(lines.map(({ namespace }) => namespace))) {
    await writeFile(join(to, `${name}.json`), JSON.stringify(detailRoutes(namespaces, name)));
  }
}

async function compileTemplates(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of Object.keys(mailTemplates)) {
    const compiled = await compileTemplate(name, await readFile(join(from, `${name}.mjml`), "utf8"));
    await writeFile(join(to, `${name}.json`), `${JSON.stringify(compiled)}\n`);
  }
}

async function copyAssets(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from))
    if (name !== "README.md") await copyFile(join(from, name), join(to, name));
}

const root = findPackageRoot();
await build(root, process.argv[2] ?? join(root, "dist"));
