import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

import { z } from "zod";

import { fail } from "../lib/errors.ts";
import { findPackageRoot } from "./package-root.ts";

/** What works only with packages that the operator installs: optional peers in package.json, as they are large and many need none of them. */
const FEATURES = {
  pictures: { uses: "pictures in reviews and forms", packages: ["sharp"] },
  texts: {
    uses: "AI providers other than builtin",
    packages: ["ai", "@ai-sdk/openai-compatible"],
  },
  metrics: {
    uses: "metrics",
    packages: [
      "@opentelemetry/api",
      "@opentelemetry/resources",
      "@opentelemetry/sdk-metrics",
      "@opentelemetry/exporter-prometheus",
    ],
  },
  traces: {
    uses: "traces",
    packages: [
      "@opentelemetry/api",
      "@opentelemetry/core",
      "@opentelemetry/resources",
      "@opentelemetry/sdk-trace-base",
      "@opentelemetry/exporter-trace-otlp-http",
    ],
  },
  filters: { uses: "--jq", packages: ["jq-web"] },
  layouts: { uses: "a mail layout of your own", packages: ["mjml"] },
} as const;
export type Feature = keyof typeof FEATURES;

export interface MissingPackages {
  /** What they are for. */
  readonly uses: string;
  readonly packages: readonly string[];
  /** The command that installs them, in versions that work together. */
  readonly install: string;
}

/** The packages of a feature that are not installed; null if it works. */
export function findMissing(feature: Feature): MissingPackages | null {
  const { packages, uses } = FEATURES[feature];
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return null;
  return {
    uses,
    packages: missing,
    install: `npm i ${isGlobal() ? "-g " : ""}${missing.map(withVersion).join(" ")}`,
  };
}

/** One line: what does not work, and the command that changes it. */
export const describeMissing = ({ uses, packages, install }: MissingPackages): string =>
  `Not installed: ${packages.join(", ")} (for ${uses}). Run "${install}"`;

/** Imports a module of the feature; 503 with the command to run where its packages are not installed. */
export async function importFor<M>(feature: Feature, load: () => Promise<M>): Promise<M> {
  try {
    return await load();
  } catch (cause) {
    const missing = findMissing(feature);
    if (missing === null) throw cause;
    throw fail("service_unavailable", `${describeMissing(missing)}.`, { cause });
  }
}

const require = createRequire(import.meta.url);

function isInstalled(name: string): boolean {
  return (require.resolve.paths(name) ?? []).some((folder) => existsSync(join(folder, name, "package.json")));
}

/** Whether this package was installed by `npm i -g`: its folder is then in a node_modules of no project. */
function isGlobal(): boolean {
  const folder = dirname(findPackageRoot());
  return basename(folder) === "node_modules" && !existsSync(join(dirname(folder), "package.json"));
}

const Manifest = z.object({ peerDependencies: z.record(z.string(), z.string()).default({}) });
let versions: Readonly<Record<string, string>> | undefined;

/** `sharp@0.35`, `ai@6`: the newest version may be one that this version of the platform does not know. */
function withVersion(name: string): string {
  versions ??= Manifest.parse(
    JSON.parse(readFileSync(join(findPackageRoot(), "package.json"), "utf8")),
  ).peerDependencies;
  const version = /(?:0\.)?\d+/.exec(versions[name] ?? "")?.[0];
  return version === undefined ? name : `${name}@${version}`;
}
