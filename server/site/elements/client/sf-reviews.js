import { call, el, StorefrontElement, wordsIn } from "./shared.js";

const WORDS = {
  en: {
    of: (value, count) => `${value} of 5, ${count} reviews`,
    none: "No reviews yet.",
    verified: "Verified purchase",
    reply: "Reply from",
    photo: "Photo from the customer",
  },
  de: {
    of: (value, count) => `${value} von 5, ${count} Bewertungen`,
    none: "Noch keine Bewertungen.",
    verified: "Verifizierter Kauf",
    reply: "Antwort von",
    photo: "Foto des Kunden",
  },
  fr: {
    of: (value, count) => `${value} sur 5, ${count} avis`,
    none: "Pas encore d’avis.",
    verified: "Achat vérifié",
    reply: "Réponse de",
    photo: "Photo du client",
  },
};

/** `<sf-reviews target="oat-bar" limit="5">`: the average of a product, and its newest published reviews. */
export default class extends StorefrontElement {
  static observedAttributes = ["target", "target-type", "limit"];

  async draw() {
    const id = encodeURIComponent(this.getAttribute("target") ?? "");
    const type = encodeURIComponent(this.getAttribute("target-type") ?? "product");
    const limit = encodeURIComponent(this.getAttribute("limit") ?? "5");
    const words = wordsIn(this.language, WORDS);
    const [[{ rating_value: value, rating_count: count }], reviews] = await Promise.all([
      call(this, "GET", `/v1/reviews/aggregates?target_type=${type}&target_id=${id}`),
      call(this, "GET", `/v1/reviews?target_type=${type}&target_id=${id}&limit=${limit}`),
    ]);
    if (count === 0) return [el("p", {}, words.none)];
    const shown = new Intl.NumberFormat(this.language, { maximumFractionDigits: 1 }).format(value);
    const number = new Intl.NumberFormat(this.language).format(count);
    return [
      el("p", {}, stars(value), " ", words.of(shown, number)),
      el(
        "ul",
        {},
        reviews.map((review) => this.#review(review, words)),
      ),
    ];
  }

  #review({ rating, title, body, author, media, submitted_at: at, verification, reply }, words) {
    const day = new Intl.DateTimeFormat(this.language, { dateStyle: "medium" }).format(new Date(at));
    const isVerified = verification.level.startsWith("verified");
    const by = [author.display_name, day, isVerified ? words.verified : ""].filter(Boolean).join(" · ");
    return el(
      "li",
      {},
      el("p", {}, stars(rating), " ", title ? el("strong", {}, title) : null),
      el("p", {}, body),
      media
        .filter(({ type }) => type === "image")
        .map(({ alt, url }) =>
          el("img", { src: url, alt: alt || words.photo, loading: "lazy", class: "photo" }),
        ),
      el("p", { class: "soft" }, by),
      reply === null || reply === undefined
        ? null
        : el("p", { class: "soft" }, `${words.reply} ${reply.by}: ${reply.body}`),
    );
  }
}

const stars = (value) => {
  const full = Math.round(value);
  return el(
    "span",
    { class: "stars", role: "img", "aria-label": `${value}/5` },
    "★".repeat(full) + "☆".repeat(5 - full),
  );
};
