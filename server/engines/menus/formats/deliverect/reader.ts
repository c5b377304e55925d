import type { DraftOptions, DraftText } from "../draft.ts";
import { invalid, readEntries } from "../invalid.ts";
import { withTranslations } from "../locale.ts";
import type { Losses, Path } from "../losses.ts";
import type { DeliverectProduct, DeliverectProducts } from "./shape.ts";

export interface Place {
  readonly options: DraftOptions;
  readonly losses: Losses;
  /** Path of a product by its index. */
  readonly pathOf: (index: number) => Path;
}

export interface ListedProduct {
  readonly product: DeliverectProduct;
  readonly path: Path;
}

export interface Reader {
  readonly options: DraftOptions;
  readonly losses: Losses;
  readonly byPlu: ReadonlyMap<string, ListedProduct>;
  readonly find: (plu: string, path: Path) => ListedProduct;
}

export function readProducts(body: DeliverectProducts, { options, losses, pathOf }: Place): Reader {
  const byPlu = new Map<string, ListedProduct>();
  readEntries(body.products.entries(), ([at, product]) => {
    const path = pathOf(at);
    if (byPlu.has(product.plu)) throw invalid([...path, "plu"], "Duplicate PLU: another product has it.");
    byPlu.set(product.plu, { product, path });
  });
  return {
    options,
    losses,
    byPlu,
    find(plu, path) {
      const product = byPlu.get(plu);
      if (product === undefined) throw invalid(path, `No product with the PLU ${plu}.`);
      return product;
    },
  };
}

export function texts(
  text: string,
  translations: DeliverectProduct["nameTranslations"],
  path: Path,
  { options, losses }: Reader,
): DraftText {
  return withTranslations(text, translations, {
    locale: options.locale,
    skip: (name) => losses.add([...path, name], "Not a valid language tag."),
  });
}

type Described = Pick<
  DeliverectProduct,
  "name" | "nameTranslations" | "description" | "descriptionTranslations"
>;

export const describe = (product: Described, path: Path, reader: Reader) => ({
  title: texts(product.name, product.nameTranslations, [...path, "nameTranslations"], reader),
  description:
    product.description == null || product.description.trim() === ""
      ? null
      : texts(
          product.description,
          product.descriptionTranslations,
          [...path, "descriptionTranslations"],
          reader,
        ),
});

export const imagesOf = (url: string | null | undefined) =>
  url == null || url === "" ? [] : [{ url, alt: null }];
