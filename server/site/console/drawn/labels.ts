import { z } from "zod";

import { Problem } from "../../../lib/errors.ts";
import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";
import type { StoreReader } from "../store-reader.ts";
import type { Drawing } from "./drawing.ts";
import { picker } from "./picker.ts";

const Product = z.object({ id: z.string(), title: z.string() });

/** The label of a product as it is printed. */
export const LABELS: Drawing = {
  path: "labels",
  title: "Labels",
  async draw(reader, asked) {
    const products = await reader.list("allergens.products.list", Product);
    const chosen = products.find(({ id }) => id === asked["product"]) ?? products[0];
    if (chosen === undefined) {
      return html`<p role="status">
        This store has no verified product. Labels are printed of products whose allergens are verified.
      </p>`;
    }
    const options = products
      .map(({ id, title }) => ({ value: id, label: title }))
      .toSorted((a, b) => a.label.localeCompare(b.label, reader.locale));
    return html`<p class="soft">As it is printed, in the mode and language of the store's settings.</p>
      ${picker({ name: "product", label: "Product", options, chosen: chosen.id })}
      ${await frameOf(reader, chosen)}`;
  },
};

/** What the API prints of a product, as a page of its own. Throws 409 for a label with errors. */
export const printLabel = (reader: StoreReader, product: string) =>
  reader.reply("allergens.products.label", { params: { id: product }, query: { format: "html" } });

async function frameOf(reader: StoreReader, { id, title }: z.output<typeof Product>): Promise<Html> {
  try {
    await printLabel(reader, id);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return html`<p class="note bad">${error.detail}</p>`;
  }
  const address = `/_/stores/${encodeURIComponent(reader.store.id)}/labels/${encodeURIComponent(id)}`;
  return html`<iframe class="label" src="${address}" title="Label of ${title}"></iframe>
    <p><a href="${address}">Open the label to print it</a></p>`;
}
