// Strapi on SQLite: the same records as a content type of its own, read with an API token. It has no limit of requests for content.
const { mkdirSync, writeFileSync } = require("node:fs");
const { dirname, join } = require("node:path");

const { createStrapi } = require("@strapi/strapi");

const AT_ONCE = 50;
const appDir = process.argv[2];
const MIDDLEWARES = ["errors", "security", "cors", "query", "body", "favicon", "public"];
const CONFIG = {
  database: {
    connection: {
      client: "sqlite",
      connection: { filename: join(appDir, "data.db") },
      useNullAsDefault: true,
    },
  },
  server: { host: "127.0.0.1", port: 0, app: { keys: ["one", "two"] } },
  admin: {
    auth: { secret: "secret" },
    apiToken: { salt: "salt" },
    transfer: { token: { salt: "salt" } },
    secrets: { encryptionKey: "0".repeat(32) },
    serveAdminPanel: false,
  },
  logger: { level: "error" },
  middlewares: MIDDLEWARES.map((name) => `strapi::${name}`),
  api: { rest: { defaultLimit: 25, maxLimit: 100 } },
};
const ATTRIBUTES = {
  title: "string",
  type: "string",
  components: "json",
  pricing: "json",
  auto_apply: "boolean",
  subscribable: "boolean",
  starts_at: "datetime",
  ends_at: "datetime",
  status: "string",
};
const PARTS = {
  routes: "createCoreRouter",
  controllers: "createCoreController",
  services: "createCoreService",
};

function write(file, text) {
  const path = join(appDir, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function writeApp() {
  write("package.json", JSON.stringify({ name: "bench", version: "0.1.0", private: true, strapi: { uuid: false } }));
  for (const [name, value] of Object.entries(CONFIG))
    write(`config/${name}.js`, `module.exports = ${JSON.stringify(value)};`);
  const schema = {
    kind: "collectionType",
    collectionName: "bundles",
    info: { singularName: "bundle", pluralName: "bundles", displayName: "Bundle" },
    options: { draftAndPublish: false },
    attributes: Object.fromEntries(Object.entries(ATTRIBUTES).map(([name, type]) => [name, { type }])),
  };
  write("src/api/bundle/content-types/bundle/schema.json", JSON.stringify(schema));
  const factories = require.resolve("@strapi/strapi");
  for (const [folder, factory] of Object.entries(PARTS)) {
    write(
      `src/api/bundle/${folder}/bundle.js`,
      `module.exports = require(${JSON.stringify(factories)}).factories.${factory}("api::bundle.bundle");`,
    );
  }
  write("src/index.js", "module.exports = {};");
  mkdirSync(join(appDir, "public", "uploads"), { recursive: true });
}

async function main() {
  const { bundleOf, PAGE, RECORDS } = await import("../../dataset.mjs");
  writeApp();
  const app = await createStrapi({ appDir, distDir: appDir, serveAdminPanel: false }).load();
  app.server.mount();
  for (let start = 0; start < RECORDS; start += AT_ONCE) {
    const data = Array.from({ length: AT_ONCE }, (_, offset) => {
      const { title, type, components, pricing, auto_apply, subscribable, status } = bundleOf(start + offset, "");
      const documentId = `bundle${start + offset}`.padEnd(24, "x");
      return { documentId, title, type, components, pricing, auto_apply, subscribable, status };
    });
    await app.db.query("api::bundle.bundle").createMany({ data });
  }
  const about = { name: "bench", description: "", type: "read-only", lifespan: null };
  const { accessKey: token } = await app.service("admin::api-token").create(about);
  await new Promise((resolve) => app.server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${app.server.httpServer.address().port}`;
  const path = `/api/bundles?sort=id:desc&pagination%5BpageSize%5D=${PAGE}`;
  console.log(JSON.stringify({ ready: true, url, path, token }));
  process.on("SIGTERM", () => process.exit(0));
}

main();
