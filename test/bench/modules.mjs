import { execFileSync } from "node:child_process";

const root = new URL("../../", import.meta.url).pathname;

/** What these benches load of the service beside its commands. One bundle, so that they all see the same modules. */
const modules = [
  "config/schema",
  "engines/cart/repository",
  "engines/tiers/services/members",
  "engines/tiers/services/recalculate",
  "engines/tiers/repository",
  "engines/tiers/rules/ledger",
  "engines/tiers/schema/ledger",
  "engines/tiers/schema/programme",
  "core/collection",
  "engines/delivery/rules/compile-plan",
  "engines/delivery/rules/list-slots",
  "core/cursor",
  "core/store-mail",
  "http/idempotency",
  "operations/seed",
  "operations/webhooks/collections",
  "core/ids",
  "core/log",
  "core/tx",
  "accounts/collections",
  "core/key-format",
  "registry",
  "services",
  "worker",
  "storage/fs",
  "storage/open",
  "storage/redis",
];

/** Into `dist/bench`, which the next build empties with the rest of `dist`. */
export function compileModules() {
  const entries = modules.map((name) => `server/${name}`);
  execFileSync(process.execPath, [`${root}server/bundle.mjs`, `${root}dist/bench`, ...entries], {
    stdio: "inherit",
  });
}
