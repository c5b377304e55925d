import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/*
 * `npm run sbom` prints a software bill of materials (CycloneDX) of what the package installs, from package-lock.json. Not `npm sbom
 * --omit=dev` itself: it leaves out what a development package needs as well, as zod. So it runs on a copy without those.
 */
const root = join(import.meta.dirname, "..");
const {
  devDependencies: _,
  workspaces: __,
  ...manifest
} = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const temporary = mkdtempSync(join(tmpdir(), "platform-sbom-"));
const folder = join(temporary, manifest.name);
try {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  copyFileSync(join(root, "package-lock.json"), join(folder, "package-lock.json"));
  const npm = (...args) =>
    execFileSync("npm", args, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      maxBuffer: 2 ** 26,
    });
  npm("install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline");
  process.stdout.write(npm("sbom", "--package-lock-only", "--sbom-format=cyclonedx"));
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
