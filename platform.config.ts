import { defineConfig } from "storefront-platform/config";

// What `npm start` serves. Only choices are written here; `npx platform config show --origin` prints the whole.
export default defineConfig({
  storage: { driver: "fs", base: "./data" },
  mail: { transport: "dev", from: "Storefront Platform <no-reply@platform.example>" },
});
