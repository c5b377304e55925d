import { z } from "zod";

import {
  BrowserSettings,
  browserSettings,
  DEFAULT_BROWSER_SETTINGS,
  readBrowserSettings,
} from "../../core/browser.ts";
import { mergePatch } from "../../lib/merge-patch.ts";
import { item, ok } from "../../core/reply.ts";
import { defineAccountsRoute } from "../context.ts";

const SettingsView = BrowserSettings.extend({
  version: z.int().nonnegative().meta({ description: "0 while the default settings apply" }),
});
const get = defineAccountsRoute({
  id: "account.browser.get",
  method: "GET",
  path: "/browser",
  summary: "Retrieve the browser settings",
  description:
    "Returns the defaults with version 0 if no settings have been saved. Test keys return the settings of the test data.",
  data: SettingsView,
  example: {},
  async handle(_, { tx }) {
    const stored = await tx.get(browserSettings, "settings");
    return stored === null ? ok({ ...DEFAULT_BROWSER_SETTINGS, version: 0 }) : item(stored);
  },
});

const update = defineAccountsRoute({
  id: "account.browser.update",
  method: "PATCH",
  path: "/browser",
  summary: "Update the browser settings",
  description:
    "`origins` lists the web pages that may use a publishable key; requests from other origins fail with `origin_not_allowed`. A request with a secret key and an `Origin` header comes from a browser, where every visitor can read the key: it fails with `secret_key_in_browser`. Set `secret_keys` to `accept` for programs that send an `Origin` header without being a browser.",
  body: BrowserSettings.pick({ origins: true, secret_keys: true }).partial(),
  data: SettingsView,
  errors: [{ type: "precondition_failed", when: "The version in If-Match is not the current version" }],
  example: { body: { origins: ["https://shop.example"] } },
  async handle({ body }, ctx) {
    const { tx, nowAt } = ctx;
    const value = { ...mergePatch(await readBrowserSettings(tx), body), updated_at: nowAt };
    const stored = await tx.get(browserSettings, "settings");
    ctx.requireVersion(stored?.version ?? 0);
    return item(tx.save(browserSettings, stored, stored === null ? { ...value, created_at: nowAt } : value));
  },
});

export const browserRoutes = [get, update];
