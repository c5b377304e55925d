import type { PageType } from "../schema.ts";

/** A page of the demo store. The part between `<!--new-->` and `<!--/new-->` was added by its last revision. */
export interface DemoPage {
  readonly key: "sourdough" | "rye" | "delivery" | "about" | "storing";
  readonly path: string;
  readonly page_type: PageType;
  readonly entity: string;
  /** Days since the page was changed. */
  readonly changed_days: number;
  readonly title: string;
  readonly description: string;
  readonly body: string;
  readonly jsonld: Readonly<Record<string, unknown>> | null;
}

export const DEMO_SITE = "https://bakery.example";
export const DEMO_SHOP = "Demo Bakery & Roastery";

export const DEMO_PAGES: readonly DemoPage[] = [
  {
    key: "sourdough",
    path: "/bread/hackney-sourdough",
    page_type: "product",
    entity: "Hackney sourdough",
    changed_days: 12,
    title: `Hackney sourdough | ${DEMO_SHOP}`,
    description:
      "An 800 g sourdough loaf, proved for 24 hours and baked every morning. £4.80, delivered in London.",
    body: `<h1>Hackney sourdough</h1>
<p>Hackney sourdough is an 800 g loaf of organic wheat that we prove for 24 hours and bake every morning. It costs £4.80.</p>
<!--new--><h2>How long does the loaf keep?</h2>
<p>Sourdough keeps for four days in a paper bag, cut side down. After that it makes good toast for two days more. Slices freeze well for up to 3 months.</p>
<h2>What is in it?</h2>
<p>Organic wheat flour, water, salt and our own starter, which has been fed every day since 2014. There is no yeast, no sugar and no oil in it. It contains gluten.</p><!--/new-->
<h2>Baking</h2>
<p>We bake at 250 °C for 45 minutes. “A long proof gives a crust that sings when it cools,” says Maya Okafor, our head baker.</p>
<p>Fermentation of this length breaks down part of the starch, as the <a href="https://www.ncbi.nlm.nih.gov/pmc/articles/PMC10399781/">review of sourdough studies</a> of 2023 describes. Flour comes from <a href="https://gilchesters.com/">Gilchesters</a>.</p>`,
    jsonld: {
      "@type": "Product",
      name: "Hackney sourdough",
      description: "An 800 g sourdough loaf, proved for 24 hours.",
      offers: {
        "@type": "Offer",
        price: "4.80",
        priceCurrency: "GBP",
        availability: "https://schema.org/InStock",
      },
    },
  },
  {
    key: "rye",
    path: "/bread/dark-rye",
    page_type: "product",
    entity: "Dark rye",
    changed_days: 140,
    title: `Dark rye | ${DEMO_SHOP}`,
    description: "A dense loaf of whole rye with treacle.",
    body: `<h1>Dark rye</h1>
<p>Our customers have long been asking us for a bread that they can put on the table at the weekend and that still tastes good when the next weekend comes around, and in the end we listened to them.</p>
<p>Dark rye is a dense loaf of whole rye, treacle and caraway.</p>
<!--new--><p>It weighs 900 g and costs £5.20.</p><!--/new-->
<h2>Serving</h2>
<p>Slice it thinly. It goes with smoked fish and with hard cheese.</p>`,
    jsonld: { "@type": "Product", name: "Dark rye loaf" },
  },
  {
    key: "delivery",
    path: "/delivery",
    page_type: "faq",
    entity: "Delivery",
    changed_days: 30,
    title: `Delivery in London | ${DEMO_SHOP}`,
    description: "Where we deliver in London, what it costs, and until when to order.",
    body: `<h1>Delivery</h1>
<p>Delivery is by cargo bike, to SW, SE and WC postcodes of London, from Monday to Saturday.</p>
<h2>How much does delivery cost?</h2>
<p>Delivery in central London costs £4.99, and £2.99 for orders of £30 and more. From £50 it is free. Outer south London costs £8.99 whatever the order, since the bikes need an hour to get there.</p>
<!--new--><h2>Until when can I order?</h2>
<p>Orders for the breakfast round close at 18:00 the day before. The lunch round takes orders until two hours before it starts, and the evening round until three hours before, as long as there is room on a bike.</p>
<h2>Which postcodes are served?</h2>
<p>We deliver to SW1 to SW9, SE1, SE16 and WC2 every working day, and at the weekend to the rest of SW and SE. Jersey is served by post. Other places are not served yet.</p><!--/new-->`,
    jsonld: {
      "@type": "FAQPage",
      mainEntity: [
        {
          "@type": "Question",
          name: "How much does delivery cost?",
          acceptedAnswer: {
            "@type": "Answer",
            text: "Delivery in central London costs £4.99, and £2.99 for orders of £30 and more. From £50 it is free.",
          },
        },
      ],
    },
  },
  {
    key: "about",
    path: "/",
    page_type: "local_business",
    entity: DEMO_SHOP,
    changed_days: 60,
    title: DEMO_SHOP,
    description:
      "A bakery and roastery in south London: sourdough, rye, pastries, coffee, and breakfast for offices.",
    body: `<h1>${DEMO_SHOP}</h1>
<p>${DEMO_SHOP} is a bakery in London that bakes sourdough and rye every morning and roasts its own coffee.</p>
<p>12 Mill Lane, London SE1 4TW</p>
<p>We are open from 07:00 to 18:00, Monday to Saturday. Call <a href="tel:+442079460123">020 7946 0123</a>.</p>
<!--new--><h2>Who bakes here?</h2>
<p>Eleven people, among them three apprentices. Maya Okafor has run the ovens since 2014, and Tom Reid roasts 60 kg of coffee a week in the yard behind the shop on Mill Lane.</p><!--/new-->`,
    jsonld: {
      "@type": "Bakery",
      name: DEMO_SHOP,
      address: "12 Mill Lane, London SE1 4TW",
      telephone: "+442079460123",
    },
  },
  {
    key: "storing",
    path: "/journal/storing-bread",
    page_type: "article",
    entity: "Storing bread",
    changed_days: 400,
    title: `How to store bread | ${DEMO_SHOP}`,
    description: "Paper, cloth or freezer: what keeps bread fresh, and for how long.",
    body: `<h1>How to store bread</h1>
<p>Storing bread is a matter of letting it breathe without letting it dry.</p>
<!--new--><h2>Should bread go into the fridge?</h2>
<p>No. At 4 °C bread goes stale about three times as fast as at room temperature, since its starch crystallises sooner. Keep it in paper or cloth at 18 to 22 °C, and freeze what you will not eat within four days.</p><!--/new-->
<h2>Freezing</h2>
<p>Slice the loaf first. Frozen slices go straight into the toaster.</p>`,
    jsonld: null,
  },
];

/** The page as served by its site: with or without its last revision. */
export function demoHtml(page: DemoPage, changedOn: string, isRevised: boolean): string {
  const body = isRevised
    ? page.body.replaceAll(/<!--\/?new-->/g, "")
    : page.body.replaceAll(/<!--new-->[\s\S]*?<!--\/new-->/g, "");
  const url = DEMO_SITE + page.path;
  const jsonld =
    page.jsonld === null
      ? ""
      : `<script type="application/ld+json">${JSON.stringify({ "@context": "https://schema.org", ...page.jsonld, url })}</script>`;
  return `<!doctype html><html lang="en-GB"><head><title>${page.title.replaceAll("&", "&amp;")}</title>
<meta name="description" content="${page.description}"><link rel="canonical" href="${url}">
<meta property="article:modified_time" content="${changedOn}">${jsonld}</head>
<body><main>${body.replaceAll(" & ", " &amp; ")}<p>Last changed: <time datetime="${changedOn}">${changedOn}</time></p></main></body></html>`;
}

/** robots.txt of the demo site: allows search crawlers, disallows training crawlers. */
export const DEMO_ROBOTS = "User-agent: *\nAllow: /\nDisallow: /cart\n\nUser-agent: GPTBot\nDisallow: /\n";
