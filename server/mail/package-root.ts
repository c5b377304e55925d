import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE_NAME = "storefront-platform";

/**
 * Folder of this package's package.json. Found by walking up, because the same module runs from `server/mail`
 * (tests) and from `dist/server/mail` (everything else).
 */
export function findPackageRoot(from: string = fileURLToPath(import.meta.url)): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (isRoot(folder)) return folder;
    if (folder === dirname(folder)) throw new Error(`No package.json of ${PACKAGE_NAME} above ${from}`);
  }
}

function isRoot(folder: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return (
      typeof manifest === "object" &&
      manifest !== null &&
      "name" in manifest &&
      manifest.name === PACKAGE_NAME
    );
  } catch {
    return false;
  }
}
