import { z } from "zod";

import {
  BrowserSettings,
  browserSettings,
  DEFAULT_BROWSER_SETTINGS,
  readBrowserSettings,
} from "../../core/browser.ts";
import { mergePatch } from "../../lib/merge-patch.ts";
import { item, ok } from "../../core/route.ts";
import { defineAccountsRoute } from "../context.ts";

const SettingsView = BrowserSettings.extend({
  version: z.int().nonnegative().meta({ description: "0 while the defaults hold" }),
});
const example = {
  ...DEFAULT_BROWSER_SETTINGS,
  origins: ["https://shop.example"],
  version: 7,
};

const get = defineAccountsRoute({
  id: "account.browser.get",
  method: "GET",
  path: "/browser",
  summary: "Which web pages may call with the store's keys",
  description:
    "A store that has saved none has the defaults, with version 0. Test keys see those of the test data.",
  data: SettingsView,
  example: { data: example },
  async handle(_, { tx }) {
    const stored = await tx.get(browserSettings, "settings");
    return stored === null ? ok({ ...DEFAULT_BROWSER_SETTINGS, version: 0 }) : item(stored);
  },
});

const update = defineAccountsRoute({
  id: "account.browser.update",
  method: "PATCH",
  path: "/browser",
  summary: "Say which web pages may call with the store's keys",
  description:
    "`origins` are those of the pages that use a publishable key; requests from others are refused with `origin_not_allowed`. A request that carries a secret key and an `Origin` comes from a web page, where every visitor can read the key: it is refused with `secret_key_in_browser`, unless `secret_keys` is `accept`, for programs that send an `Origin` without being a page.",
  body: BrowserSettings.pick({ origins: true, secret_keys: true }).partial(),
  data: SettingsView,
  errors: [{ type: "precondition_failed", when: "If-Match names another version" }],
  example: { body: { origins: ["https://shop.example"] }, data: example },
  async handle({ body }, ctx) {
    const { tx, nowAt } = ctx;
    const value = { ...mergePatch(await readBrowserSettings(tx), body), updated_at: nowAt };
    const stored = await tx.get(browserSettings, "settings");
    if (stored === null) return item(tx.create(browserSettings, { ...value, created_at: nowAt }));
    return item(tx.put(browserSettings, await ctx.current(browserSettings, "settings"), value));
  },
});

export const browserRoutes = [get, update];
