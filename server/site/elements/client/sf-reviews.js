import { call, el, StorefrontElement, wordsIn } from "./shared.js";

const WORDS = {
  en: {
    of: (value, count) => `${value} of 5, ${count} reviews`,
    none: "No reviews yet.",
    verified: { verified_purchase: "Verified purchase", verified_buyer: "Verified buyer" },
    syndicated: "Collected by",
    reply: "Reply from",
    photo: "Photo from the customer",
    incentive: {
      coupon: "The reviewer was offered a coupon for this review.",
      points: "The reviewer was offered loyalty points for this review.",
      free_product: "The reviewer was given the product for free.",
      sweepstake: "The reviewer could win a prize for this review.",
      other: "The reviewer was offered something for this review.",
    },
    relationship: {
      employee: "The reviewer works for the business.",
      family: "The reviewer is related to someone at the business.",
      affiliate: "The reviewer earns a commission on sales.",
    },
  },
  de: {
    of: (value, count) => `${value} von 5, ${count} Bewertungen`,
    none: "Noch keine Bewertungen.",
    verified: { verified_purchase: "Verifizierter Kauf", verified_buyer: "Verifizierter Kunde" },
    syndicated: "Gesammelt von",
    reply: "Antwort von",
    photo: "Foto des Kunden",
    incentive: {
      coupon: "Für diese Bewertung wurde ein Gutschein angeboten.",
      points: "Für diese Bewertung wurden Treuepunkte angeboten.",
      free_product: "Das Produkt wurde kostenlos zur Verfügung gestellt.",
      sweepstake: "Mit dieser Bewertung war die Teilnahme an einer Verlosung verbunden.",
      other: "Für diese Bewertung wurde eine Gegenleistung angeboten.",
    },
    relationship: {
      employee: "Die Person arbeitet für das Unternehmen.",
      family: "Die Person ist mit jemandem im Unternehmen verwandt.",
      affiliate: "Die Person erhält eine Provision für Verkäufe.",
    },
  },
  fr: {
    of: (value, count) => `${value} sur 5, ${count} avis`,
    none: "Pas encore d’avis.",
    verified: { verified_purchase: "Achat vérifié", verified_buyer: "Client vérifié" },
    syndicated: "Recueilli par",
    reply: "Réponse de",
    photo: "Photo du client",
    incentive: {
      coupon: "Un bon d’achat a été proposé en échange de cet avis.",
      points: "Des points de fidélité ont été proposés en échange de cet avis.",
      free_product: "Le produit a été offert à l’auteur de cet avis.",
      sweepstake: "Cet avis permettait de participer à un tirage au sort.",
      other: "Une contrepartie a été proposée en échange de cet avis.",
    },
    relationship: {
      employee: "L’auteur travaille pour l’entreprise.",
      family: "L’auteur a un lien de parenté avec une personne de l’entreprise.",
      affiliate: "L’auteur touche une commission sur les ventes.",
    },
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

  #review(review, words) {
    const { rating, title, body, author, media, submitted_at: at, verification, reply } = review;
    const day = new Intl.DateTimeFormat(this.language, { dateStyle: "medium" }).format(new Date(at));
    const origin =
      review.collection_method === "syndicated" && review.source
        ? `${words.syndicated} ${review.source.system}`
        : "";
    const by = [author.display_name, day, words.verified[verification.level], origin]
      .filter(Boolean)
      .join(" · ");
    const disclosures = [
      words.incentive[review.incentive.type],
      words.relationship[review.relationship],
    ].filter(Boolean);
    return el(
      "li",
      {},
      el("p", {}, stars(rating), " ", title ? el("strong", {}, title) : null),
      el("p", {}, body),
      // 16 CFR 255.5: next to the review, not behind a click.
      disclosures.length === 0 ? null : el("p", {}, disclosures.join(" ")),
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
