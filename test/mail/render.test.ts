import { NEW_SHOP } from "../../server/core/shop.ts";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { compileTemplate } from "../../server/mail/compile.ts";
import { findPackageRoot } from "../../server/core/package-root.ts";
import { escapeHtml } from "../../server/lib/html.ts";
import { contrast } from "../../server/lib/contrast.ts";
import { wordsIn } from "../../server/core/words.ts";
import { fillHtml, isMailName, mailTemplates, renderMail } from "../../server/mail/render.ts";
import type { MailName } from "../../server/mail/render.ts";

const baseUrl = "https://api.shop.example";
const names = Object.keys(mailTemplates).filter(isMailName);

const render = (name: MailName, data: object = {}) =>
  renderMail(name, { ...mailTemplates[name].example, ...data }, { baseUrl });

/** What a mail client would open or fetch. */
function linksOf(html: string): string[] {
  return [...html.matchAll(/\b(?:href|src|background|action)\s*=\s*["']?([^"'\s>]*)/gi)].map(
    (match) => match[1] ?? "",
  );
}

/** Mails that ask nothing of their reader, or could only lead where the shop chose. */
const WITHOUT_LINK: ReadonlySet<string> = new Set([
  "forms-notification",
  "forms-receipt",
  "review-private-reply",
  "tier-up",
  "tier-at-risk",
  "tier-down",
]);

describe.each(names)("mail %s", (name) => {
  test("renders its example, without a placeholder left", async () => {
    const mail = await render(name);
    expect(mail.html).toMatch(/^<!doctype html>/i);
    expect(`${mail.html}${mail.text}${mail.subject}`).not.toMatch(/\{\{|\}\}|undefined|\[object/);
  });

  test("has only absolute links, and fetches nothing", async () => {
    const { html } = await render(name);
    const links = linksOf(html);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) expect(link).toMatch(/^https:\/\/api\.shop\.example(\/|$)/);
    expect(html).not.toMatch(/@import|url\(|<img|<script|<link|fonts\.googleapis/i);
  });

  test("stays far below the size at which Gmail clips a mail", async () => {
    const { html } = await render(name);
    expect(Buffer.byteLength(html)).toBeLessThan(40_000);
  });

  test("adapts to dark schemes and narrow screens", async () => {
    const { html } = await render(name);
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).toContain("@media (prefers-color-scheme: dark)");
    expect(html).toContain("max-width:600px");
    expect(html).toContain('lang="en-GB"');
  });

  test("text part as it was approved", async () => {
    const { text, subject } = await render(name);
    await expect(`Subject: ${subject}\n\n${text}`).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  test("text part has its link, where there is one, alone on a line, and no line too long to read", async () => {
    const { text } = await render(name);
    const lines = text.split("\n");
    const links = lines.filter((line) => /^https:\/\/\S+$/.test(line));
    expect(links).toHaveLength(WITHOUT_LINK.has(name) ? 0 : 1);
    for (const line of lines.filter((line) => !line.includes("https://")))
      expect(line.length).toBeLessThanOrEqual(76);
  });

  test("subject is one fixed line", async () => {
    const { subject } = await render(name);
    expect(subject).toBe(wordsIn("en").say(`mail.${name}.subject`));
    expect(subject).toMatch(/^[\x20-\x7e]{1,70}$/);
  });
});

test("a store's mail has its color, and text on it that can be read", async () => {
  const sender = { store: "demo", choicesUrl: `${baseUrl}/choices`, shop: { ...NEW_SHOP, color: "#ffd000" } };
  const { html } = await renderMail("verify", mailTemplates.verify.example, { baseUrl, sender });
  const [, ground = "", ink = ""] =
    /background:(#[0-9a-f]{6})[^>]*>\s*<a[^>]*;color:(#[0-9a-f]{6})/.exec(html) ?? [];
  expect(contrast(ground, ink)).toBeGreaterThanOrEqual(4.5);
  expect(ground).not.toBe("#0b5cad");
});

test("a store without a name is called by its identifier, in each case of German", async () => {
  const sender = { store: "brotladen", choicesUrl: `${baseUrl}/choices` };
  const data = { ...mailTemplates["review-invitation"].example, shop_name: "" };
  const { text } = await renderMail("review-invitation", data, { baseUrl, locale: "de", sender });
  expect(text).toContain("Ihre Bestellung bei brotladen");
  expect(text).toContain("weil Sie bei brotladen bestellt haben");
});

describe("values from outside", () => {
  const hostile = `<script>alert(1)</script>"'&<img src=x onerror=alert(1)>{{link}}`;

  test("are escaped in the HTML part", async () => {
    const { html } = await render("catering-rsvp", { title: hostile });
    expect(html).not.toMatch(/<script|<img/i);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;&lt;img");
  });

  test("are not filled a second time", async () => {
    const { html } = await render("catering-rsvp", { title: "{{link}}" });
    expect(html).toContain("&quot;{{link}}&quot;");
  });

  test.each(["a\nhttps://evil.example/\nb", "a\r\n\r\nb", "a\u2028b", "a\u0000b", "a\u202Eb", "  a\t\tb  "])(
    "stay on one line of the text part: %j",
    async (typed) => {
      const { text } = await render("catering-rsvp", { title: typed });
      const plain = (await render("catering-rsvp", { title: "x" })).text;
      expect(text.split("\n")).toHaveLength(plain.split("\n").length);
      expect(text.split("\n").filter((line) => line.startsWith("https://"))).toHaveLength(1);
      for (const char of "\u2028\u202E\u0000\r") expect(text).not.toContain(char);
    },
  );

  test.each([
    ["see http://evil.example/a?b=c now", "see http[:]//evil[.]example/a?b=c now"],
    ["HTTPS://EVIL.EXAMPLE", "HTTPS[:]//EVIL[.]EXAMPLE"],
    ["www.evil.example and evil.co.uk/x", "www[.]evil[.]example and evil[.]co[.]uk/x"],
    ["bücher.example, 例え.テスト", "bücher[.]example, 例え[.]テスト"],
    ["चाबी.com and evil.भारत", "चाबी[.]com and evil[.]भारत"],
    ["a@evil.example/x", "a@evil[.]example/x"],
    ["tel:+4412345 javascript:alert(1)", "tel[:]+4412345 javascript[:]alert(1)"],
    ["ada@shop.example", "ada@shop.example"],
    [
      "Tel: 123. It costs 4.50, e.g. at 12:30. Thanks.Bye",
      "Tel: 123. It costs 4.50, e.g. at 12:30. Thanks[.]Bye",
    ],
  ])("lose their links, and nothing else: %s", async (typed, shown) => {
    expect((await render("review-private-reply", { by: typed })).text).toContain(`\n${shown}\n`);
  });

  test("are cut at a bounded length", async () => {
    const { text } = await render("catering-rsvp", { title: "x".repeat(10_000) });
    expect(text.length).toBeLessThan(1_500);
  });

  test.each(["javascript:alert(1)", "/relative", "//host/x", "data:text/html,x", "https://a.example/ b", ""])(
    "cannot make %j a link",
    async (link) => {
      await expect(render("verify", { link })).rejects.toThrow(/Invalid|Expected/);
    },
  );

  test("a placeholder without a value is an error, not a hole", () => {
    expect(() => fillHtml("<p>{{nope}}</p>", { link: "x" })).toThrow("{{nope}}");
    expect(() => fillHtml("<p>{{constructor}}</p>", { link: "x" })).toThrow("{{constructor}}");
  });

  test("escapeHtml leaves nothing that opens a tag, an entity or an attribute", () => {
    expect(escapeHtml(`&<>"'`)).toBe("&amp;&lt;&gt;&quot;&#39;");
  });
});

describe("templates", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mail-templates-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("a fault in MJML names the file, the line and the tag", async () => {
    const source =
      "<mjml><mj-body>\n<mj-section><mj-column><mj-txt>x</mj-txt></mj-column></mj-section></mj-body></mjml>";
    await expect(compileTemplate("broken", source)).rejects.toThrow(
      /templates\/broken\.mjml.*\n.*line 2, <mj-txt>/,
    );
  });

  test("an operator's own folder is used in place of ours", async () => {
    const own = await readFile(join(findPackageRoot(), "templates", "mail.mjml"), "utf8");
    await writeFile(
      join(folder, "mail.mjml"),
      own.replace("{{ content }}", "{{ content }}<p>Our address</p>"),
    );
    const { html } = await renderMail("verify", mailTemplates.verify.example, {
      baseUrl,
      templatesDir: folder,
    });
    expect(html).toContain("Our address");
    expect((await render("verify")).html).not.toContain("Our address");
  });

  test("a template that asks for what its mail has not is told", async () => {
    const own = await mkdtemp(join(folder, "broken-"));
    const broken =
      "<mjml><mj-body><mj-section><mj-column><mj-text>{{nope}}</mj-text></mj-column></mj-section></mj-body></mjml>";
    await writeFile(join(own, "mail.mjml"), broken);
    const made = renderMail("verify", mailTemplates.verify.example, { baseUrl, templatesDir: own });
    await expect(made).rejects.toThrow("{{nope}}");
  });
});
