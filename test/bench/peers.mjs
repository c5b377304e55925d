import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const folder = new URL("peers/", import.meta.url).pathname;

/** The peers and the load generator have a package.json of their own, so that `npm ci` stays light. */
export async function installPeers() {
  if (existsSync(`${folder}node_modules/autocannon`)) return;
  console.error("Installing the peers once (Fastify, Express, SQLite, autocannon) …");
  execFileSync("npm", ["ci", "--no-fund", "--no-audit"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
}
