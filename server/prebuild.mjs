import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/*
 * Before `npm start`: builds dist where it is missing or older than its sources. An installation without development packages
 * (`npm ci --omit=dev`) cannot build and runs the dist that it has.
 */
const root = join(import.meta.dirname, "..");
/** What the build writes last: one that was interrupted has none, or an old one. */
const built = join(root, "dist", "server", "api.d.ts");

function changedMs(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Math.max(
    ...files
      .filter((file) => file.isFile())
      .map((file) => statSync(join(file.parentPath, file.name)).mtimeMs),
  );
}

function isFresh() {
  if (!existsSync(built)) return false;
  const sources = ["bin", "cli", "server", "templates"].map((name) => changedMs(join(root, name)));
  return Math.max(statSync(join(root, "package.json")).mtimeMs, ...sources) < statSync(built).mtimeMs;
}

function canBuild() {
  try {
    createRequire(import.meta.url).resolve("rolldown");
    return true;
  } catch {
    return false;
  }
}

if (!isFresh()) {
  // What went wrong is in what the build has printed.
  if (canBuild())
    process.exitCode = spawnSync("npm", ["run", "build"], { cwd: root, stdio: "inherit" }).status ?? 1;
  else if (existsSync(built)) console.error("dist is older than its sources. Run npm ci && npm run build");
  else {
    console.error(
      "There is no dist, and building it needs the development packages. Run npm ci && npm run build",
    );
    process.exitCode = 1;
  }
}
