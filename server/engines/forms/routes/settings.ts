import { inherited } from "../../../core/settings.ts";
import { z } from "zod";

import { item } from "../../../core/reply.ts";
import { defineRoute, stale } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import { captchaSecrets, formSettings } from "../repository.ts";
import { Settings, settingsFields } from "../schema.ts";

const SettingsView = Settings.extend({
  version: z.int().nonnegative().meta({ description: "0 while the defaults apply" }),
});

const Secret = z.string().trim().min(1).max(200).nullable();
const Patch = z
  .strictObject({
    ...settingsFields,
    ...inherited(settingsFields, ["shop_name"]),
    captcha_secrets: z.strictObject({ turnstile: Secret, hcaptcha: Secret }).partial().meta({
      description: "Stored, but never returned; null deletes it",
    }),
  })
  .partial();

const get = defineRoute({
  id: "forms.settings.get",
  method: "GET",
  path: "/settings",
  summary: "Show the form settings of the store",
  description: "A store without saved settings has the defaults, with version 0.",
  data: SettingsView,
  handle: async (_input, { tx }) => item(await formSettings.show(tx)),
});

const update = defineRoute({
  id: "forms.settings.update",
  method: "PATCH",
  path: "/settings",
  summary: "Change the form settings of the store",
  body: Patch,
  data: SettingsView,
  errors: [stale],
  example: {
    body: { blocked_terms: ["seo services"] },
  },
  async handle({ body }, ctx) {
    const { captcha_secrets: secrets, ...plain } = body;
    ctx.requireVersion((await formSettings.show(ctx.tx)).version);
    const captcha_configured = await keepSecrets(ctx.tx, secrets ?? {});
    return item(await formSettings.save(ctx.tx, { ...plain, captcha_configured }, ctx.nowAt));
  },
});

/** Stores the given secrets; returns the names of those that are set. */
async function keepSecrets(
  tx: Tx,
  secrets: { readonly turnstile?: string | null | undefined; readonly hcaptcha?: string | null | undefined },
): Promise<Settings["captcha_configured"]> {
  const before = await tx.get(captchaSecrets, "captcha");
  const { hcaptcha = null, turnstile = null } = before?.value ?? {};
  const next = {
    id: "captcha" as const,
    turnstile: secrets.turnstile === undefined ? turnstile : secrets.turnstile,
    hcaptcha: secrets.hcaptcha === undefined ? hcaptcha : secrets.hcaptcha,
  };
  if (Object.keys(secrets).length > 0) {
    tx.save(captchaSecrets, before, next);
  }
  return [
    ...(next.turnstile === null ? [] : (["turnstile"] as const)),
    ...(next.hcaptcha === null ? [] : (["hcaptcha"] as const)),
  ];
}

export const formSettingsRoutes = [get, update];
