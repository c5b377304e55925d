import { ConfigError } from "../config/error.ts";

/** Renders a mail with the layout of a folder. Throws ConfigError, so that no wrong layout is found by sending. */
export async function checkTemplates(templatesDir: string): Promise<void> {
  const { mailTemplates, renderMail } = await import("./render.ts");
  try {
    await renderMail("test", mailTemplates.test.example, { baseUrl: "https://example.com", templatesDir });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError("configuration", [{ path: "mail.templates", message, origin: templatesDir }]);
  }
}
