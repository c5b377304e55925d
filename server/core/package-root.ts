import { readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE_NAME = "storefront-platform";

/**
 * Folder of this package's package.json. Found by walking up, because the same module runs from `server/mail`
 * (tests) and from a file of the bundle somewhere below `dist` (everything else).
 */
export function findPackageRoot(): string {
  const from = fileURLToPath(import.meta.url);
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (isRoot(folder)) return folder;
    if (folder === dirname(folder))
      throw new Error(`No package.json of ${PACKAGE_NAME} found in a parent folder of ${from}`);
  }
}

/** The folder that the build made and from which this very code runs; null where the source runs. */
export function findBuilt(): string | null {
  const built = join(findPackageRoot(), "dist");
  return fileURLToPath(import.meta.url).startsWith(built + sep) ? built : null;
}

/** Version of this package. */
export const packageVersion = (): string => String(readManifest(findPackageRoot())?.version);

const isRoot = (folder: string): boolean => readManifest(folder)?.name === PACKAGE_NAME;

/** The members of a package.json; null where there is none. */
function readManifest(folder: string): Readonly<Record<string, unknown>> | null {
  try {
    return Object(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
  } catch {
    return null;
  }
}
