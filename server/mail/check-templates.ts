import { readdir } from "node:fs/promises";

import { ConfigError } from "../config/error.ts";
import { isMailName, mailTemplates, renderMail } from "./render.ts";

/** Renders the examples of all mails that a folder replaces. Throws ConfigError, so that no wrong template is found by sending. */
export async function checkTemplates(templatesDir: string): Promise<void> {
  try {
    const files = await readdir(templatesDir);
    const names = files
      .filter((file) => file.endsWith(".mjml"))
      .map((file) => file.slice(0, -5))
      .filter(isMailName);
    if (names.length === 0) throw new Error("no template in this folder replaces a mail");
    for (const name of names)
      await renderMail(name, mailTemplates[name].example, { baseUrl: "https://example.com", templatesDir });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError("configuration", [{ path: "mail.templates", message, origin: templatesDir }]);
  }
}
