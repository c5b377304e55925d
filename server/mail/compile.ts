import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import { describeMissing, findMissing } from "../core/optional-packages.ts";
import { findPackageRoot } from "../core/package-root.ts";

/** Holds `dist/templates/<name>.json`: what the build makes of `templates/<name>.mjml`. */
const CompiledTemplate = z.object({
  /** SHA-256 of the MJML source, by which an edited source is noticed. */
  source_sha256: z.string(),
  /** HTML with `{{value}}` placeholders. */
  html: z.string(),
});
type CompiledTemplate = z.output<typeof CompiledTemplate>;

/**
 * The HTML of a template, placeholders unfilled. The compiled form that ships with the package is used while it
 * belongs to the source at hand; an edited source, or an operator's own, is compiled here and needs mjml.
 */
export async function loadTemplateHtml(name: string, templatesDir?: string): Promise<string> {
  const root = findPackageRoot();
  const source = await readFile(join(templatesDir ?? join(root, "templates"), `${name}.mjml`), "utf8");
  const shipped = await readCompiled(join(root, "dist", "templates", `${name}.json`));
  if (shipped?.source_sha256 === sha256(source)) return shipped.html;
  return (await compileTemplate(name, source)).html;
}

/** MJML → HTML. Any fault that mjml reports fails the compilation, with its line and tag. */
export async function compileTemplate(name: string, source: string): Promise<CompiledTemplate> {
  const mjml2html = await importMjml(name);
  // No `fonts`: mjml would otherwise link to a font server, and a mail must not make its reader's client call out.
  const { html, errors } = await mjml2html(source, {
    validationLevel: "soft",
    keepComments: false,
    fonts: {},
  });
  if (errors.length > 0) {
    const faults = errors.map((fault) => `  line ${fault.line}, <${fault.tagName}>: ${fault.message}`);
    throw new Error(`templates/${name}.mjml does not compile:\n${faults.join("\n")}`);
  }
  return { source_sha256: sha256(source), html };
}

async function importMjml(name: string) {
  try {
    return (await import("mjml")).default;
  } catch (cause) {
    const missing = findMissing("layouts");
    const reason = missing === null ? String(cause) : describeMissing(missing);
    throw new Error(`The mail template ${name}.mjml differs from the bundled one. ${reason}`, { cause });
  }
}

async function readCompiled(file: string): Promise<CompiledTemplate | null> {
  try {
    return CompiledTemplate.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return null;
  }
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
