import type { Tx } from "../../../core/tx.ts";
import { reviews } from "../repository.ts";
import { filedTarget } from "../rules/pick-places.ts";
import type { Review } from "../schema.ts";
import type { Settings } from "../schema/settings.ts";

type Product = Pick<Review, "product_name" | "product_url" | "sku" | "gtin" | "mpn" | "brand">;

/**
 * Data of the product: as submitted, otherwise from the latest published review of it, otherwise from the store's
 * template.
 */
export async function productOf(
  tx: Tx,
  input: Product & Pick<Review, "target">,
  settings: Pick<Settings, "product_url_template">,
): Promise<Product> {
  const { items } = await tx.peekPage(reviews, {
    index: "published",
    value: filedTarget(input.target),
    limit: 1,
  });
  const last = items[0]?.value;
  const template = settings.product_url_template;
  const page = template === "" ? null : template.replaceAll("{id}", encodeURIComponent(input.target.id));
  return {
    product_name: input.product_name ?? last?.product_name ?? null,
    product_url: input.product_url ?? last?.product_url ?? page,
    sku: input.sku ?? last?.sku ?? null,
    gtin: input.gtin ?? last?.gtin ?? null,
    mpn: input.mpn ?? last?.mpn ?? null,
    brand: input.brand ?? last?.brand ?? null,
  };
}
