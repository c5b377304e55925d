import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";

const LANGUAGES = {
  bash: "bash",
  sh: "bash",
  curl: "bash",
  platform: "bash",
  js: "javascript",
  javascript: "javascript",
  fetch: "javascript",
  ts: "typescript",
  json: "json",
  http: "http",
  html: "xml",
  python: "python",
} as const;
type Language = keyof typeof LANGUAGES;
const isLanguage = (name: string): name is Language => Object.hasOwn(LANGUAGES, name);

/** Code as HTML with its words marked, in a `pre`; plain where its language is not known. */
export type Highlight = (code: string, language: string) => Html;

/** Opens the highlighter: on the server, at the first page with code, so that pages need no script for it. */
export const openHighlight = (): Promise<Highlight> => (opened ??= open());

let opened: Promise<Highlight> | undefined;

async function open(): Promise<Highlight> {
  const { default: hljs } = await import("highlight.js/lib/core");
  const [bash, http, javascript, json, python, typescript, xml] = await Promise.all([
    import("highlight.js/lib/languages/bash"),
    import("highlight.js/lib/languages/http"),
    import("highlight.js/lib/languages/javascript"),
    import("highlight.js/lib/languages/json"),
    import("highlight.js/lib/languages/python"),
    import("highlight.js/lib/languages/typescript"),
    import("highlight.js/lib/languages/xml"),
  ]);
  const grammars = { bash, http, javascript, json, python, typescript, xml };
  for (const [name, { default: grammar }] of Object.entries(grammars)) hljs.registerLanguage(name, grammar);
  return (code, name) => {
    const marked = isLanguage(name)
      ? { html: hljs.highlight(code, { language: LANGUAGES[name] }).value }
      : html`${code}`;
    return { html: `<pre data-language="${html`${name}`.html}"><code>${marked.html}</code></pre>` };
  };
}
