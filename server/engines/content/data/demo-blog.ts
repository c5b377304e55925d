import type { DraftContent } from "../schema/draft.ts";
import { NO_SEO } from "../schema/draft.ts";

/** The blog of the demo bakery. The texts use only allowed HTML, so that the output equals the source. */

const ADA = { id: "ada", name: "Ada Baker", url: "https://crumb.example/about/ada" };
const TOM = { id: "tom", name: "Tom Miller", url: null };

const text = (
  content: Pick<DraftContent, "title" | "slug" | "body" | "excerpt" | "tags"> &
    Partial<DraftContent> & { readonly keyphrase: string; readonly description: string },
): DraftContent => {
  const { keyphrase, description, ...rest } = content;
  return {
    locale: "en-GB",
    body_format: "html",
    author: ADA,
    category: "Baking",
    cover: null,
    cornerstone: false,
    ...rest,
    seo: { ...NO_SEO, focus_keyphrase: keyphrase, description, schema_type: "Article" },
  };
};

export const STARTER = text({
  title: "Sourdough starter: how to keep one alive at home",
  slug: "sourdough-starter",
  keyphrase: "sourdough starter",
  description:
    "Keep a sourdough starter alive at home with ten minutes a week: what to feed it, how warm it likes to be, and how to wake it up.",
  excerpt: "Ten minutes a week, flour, water and a warm corner: all that a starter asks for.",
  tags: ["bread", "sourdough"],
  body: `<p>A sourdough starter is flour and water in which wild yeast lives. Ours has been with us since the first week of the bakery. It needs no machine and no skill, but it wants to be fed.</p>
<h2>What a sourdough starter eats</h2>
<p>Use equal weights of strong white flour and water. Because the yeast likes company, a spoon of rye helps. Stir, cover the jar loosely, and leave it on the counter.</p>
<ul>
<li>Feed it once a day while it stands in the kitchen.</li>
<li>Feed it once a week if it lives in the fridge.</li>
<li>Throw half away first, or bake crumpets with it.</li>
</ul>
<p><img src="https://crumb.example/images/starter.jpg" alt="A jar of sourdough starter on a wooden counter" /></p>
<h2>How warm it should be</h2>
<p>It is happiest at about 25 degrees. In winter, however, most kitchens are colder, so it simply takes longer. For example, our own jar stands next to the oven in January.</p>
<h2>When your starter looks tired</h2>
<p>Grey water on top is no drama. Pour it off, feed the rest twice a day, and wait. After two days it should rise and smell of apples again. Then you can bake, and our <a href="https://crumb.example/blog/first-loaf">guide to the first loaf</a> shows how. The <a href="https://www.foodstandards.example/flour">notes on flour</a> tell more about the grain itself.</p>
`,
});

export const FIRST_LOAF = text({
  title: "Your first loaf of sourdough bread, hour by hour",
  slug: "first-loaf",
  keyphrase: "first sourdough loaf",
  description:
    "Bake your first sourdough loaf in one day: mix at eight, fold until noon, shape at two, bake before supper. With times and weights.",
  excerpt: "Mix at eight, bake before supper: a first loaf in one day.",
  tags: ["bread", "sourdough"],
  body: `<p>Your first sourdough loaf will not be perfect, and it will taste good all the same. This is the day as we teach it in the bakery on Mare Street.</p>
<h2>Eight in the morning: mix</h2>
<p>Mix 450 g of strong flour, 320 g of water and 90 g of lively starter. Wait half an hour, then add 9 g of salt. Meanwhile, have a coffee.</p>
<h2>Until noon: fold</h2>
<p>Wet your hand, lift one side of the dough, and fold it over. Do this four times around the bowl, once an hour. The dough will feel stronger each time.</p>
<h2>Two in the afternoon: shape your first loaf</h2>
<p>Turn the dough out, pull it into a ball, and let it rest in a floured basket. It is ready when it has grown by half. If the kitchen is cold, give it longer.</p>
<p><img src="https://crumb.example/images/first-loaf.jpg" alt="A first sourdough loaf with a dark crust" /></p>
<h2>Five o'clock: bake</h2>
<p>Heat the oven with a heavy pot in it. Bake the loaf for 25 minutes with the lid on, then for 20 minutes without it. Finally, wait until it is cool, although nobody ever does. If you have no starter yet, <a href="https://crumb.example/blog/sourdough-starter">make one first</a>.</p>
`,
});

export const RYE = text({
  title: "Why our rye bread keeps for a week",
  slug: "rye-bread-keeps",
  keyphrase: "rye bread",
  description:
    "Rye bread stays fresh for a week, because rye holds water. How we bake ours, and how to store it at home.",
  excerpt: "Rye holds water, and that is the whole secret.",
  tags: ["bread", "rye"],
  author: TOM,
  body: `<p>People ask why our rye bread is still good on Friday when they bought it on Monday. The answer is water.</p>
<h2>Rye holds what wheat lets go</h2>
<p>Rye has gums that wheat lacks. They bind up to ten times their weight of water, so the crumb stays moist. For the same reason the dough is sticky, and we never knead it.</p>
<h2>How to store it</h2>
<p>Keep it in a cloth or a paper bag, never in the fridge. Cut it from the middle and push the halves together. Toast the last slices, because they are the best.</p>
`,
});

export const SUMMER = text({
  title: "Five picnic loaves for warm days",
  slug: "picnic-loaves",
  keyphrase: "picnic bread",
  description:
    "Five loaves that travel well and need no knife: focaccia, fougasse, seeded rolls, olive sticks and a plait to tear.",
  excerpt: "Loaves that travel well and need no knife.",
  tags: ["bread", "summer"],
  body: `<p>A good picnic bread survives a rucksack and needs no knife. These five do both.</p>
<h2>The loaves</h2>
<ol>
<li>Focaccia with rosemary, baked the evening before.</li>
<li>Fougasse, which comes apart at its own cuts.</li>
<li>Seeded rolls, one for each hand.</li>
<li>Olive sticks for the way there.</li>
<li>A plait to tear at the table that is no table.</li>
</ol>
<p>Order before noon and we bake them for the next morning.</p>
`,
});

export const GLUTEN = text({
  title: "Baking for guests who avoid gluten",
  slug: "baking-without-gluten",
  keyphrase: "gluten free baking",
  description: "",
  excerpt: "",
  tags: ["allergens"],
  author: TOM,
  body: `<p>We bake with wheat every day, so nothing from our oven is free from gluten. What we can tell you is how to bake for guests who avoid it at home.</p>
<p>Clean the kitchen first. Flour stays in the air for hours, therefore bake the cake before the bread.</p>
`,
});

export const TOOLS = text({
  title: "The three tools we would buy again",
  slug: "baking-tools",
  keyphrase: "bread baking tools",
  description: "",
  excerpt: "",
  tags: ["tools"],
  body: `<p>Scales, a scraper and a heavy pot. Everything else is nice to have.</p>
`,
});
