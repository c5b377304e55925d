import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const folder = new URL("peers/", import.meta.url).pathname;

/**
 * The peers and the load generator have a package.json of their own, so that `npm ci` stays light. `all`: Directus and Strapi too,
 * 1.6 GB and several minutes at first; their trees are too large for a lockfile here, so the versions of both are exact.
 */
export function installPeers(all) {
  install("", "autocannon", "ci", "Fastify, Express, SQLite, autocannon");
  if (!all) return;
  install("directus/", "directus", "install", "Directus");
  install("strapi/", "@strapi/strapi", "install", "Strapi");
}

function install(below, name, command, title) {
  const cwd = folder + below;
  if (existsSync(`${cwd}node_modules/${name}`)) return;
  console.error(`Installing the peers once (${title}) …`);
  const args = [command, "--no-fund", "--no-audit", ...(command === "ci" ? [] : ["--no-package-lock"])];
  execFileSync("npm", args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}
