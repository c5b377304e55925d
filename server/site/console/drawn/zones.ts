import { z } from "zod";

import { Settings } from "../../../engines/delivery/schema/settings.ts";
import { Outcode, Zone } from "../../../engines/delivery/schema/zone.ts";
import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";
import { showMoney } from "../../../lib/show.ts";
import { table } from "../table.ts";
import { state } from "../cells.ts";
import type { StoreReader } from "../store-reader.ts";
import type { Drawing } from "./drawing.ts";
import { groupPatterns } from "./outcode-tiles.ts";
import type { Tile } from "./outcode-tiles.ts";
import { drawMap } from "./zone-map.ts";

/** Colors of zones; further zones repeat them, with numbers of their own. */
const LOOKS = ["route-0", "route-1", "route-2", "route-3", "route-4"];
/** More patterns are counted, not drawn. */
const TILES_MAX = 600;

interface NumberedZone extends Zone {
  readonly number: number;
  readonly look: string;
}

/** The zones of a store: their areas to scale, and the outcodes with the zone that delivers to each. */
export const ZONES: Drawing = {
  path: "zones",
  title: "Delivery zones",
  async draw(reader) {
    const settings = await reader.read("delivery.settings.get", Settings);
    const found = await reader.list("delivery.zones.list", Zone);
    if (found.length === 0) {
      return html`<p role="status">This store has no delivery zones, so it delivers nowhere.</p>`;
    }
    const zones = found
      .toSorted((a, b) => b.priority - a.priority || a.name.localeCompare(b.name))
      .map((zone, at) => ({ ...zone, number: at + 1, look: LOOKS[at % LOOKS.length] ?? "" }));
    const mapped = zones.flatMap((zone) =>
      zone.area === null || !zone.active ? [] : [{ ...zone, area: zone.area }],
    );
    return html`${legend(zones, settings, reader.locale)} ${drawMap(mapped)}
    ${await drawOutcodes(reader, zones, settings.country)}`;
  },
};

const numberOf = ({ number, look }: NumberedZone): Html => html`<b class="number ${look}">${number}</b>`;

const legend = (zones: readonly NumberedZone[], { currency }: Settings, locale: string): Html =>
  table(
    [
      { title: "Zone", of: (row) => numberIn(zones, row) },
      { title: "Name", of: "name" },
      { title: "Fee", of: "fee" },
      { title: "Minimum order", of: "minimum" },
      { title: "Patterns", of: "patterns" },
      { title: "State", of: state("state") },
    ],
    zones.map((zone) => ({
      id: zone.id,
      name: zone.name,
      fee: feesOf(zone, (amount) => showMoney(amount, currency, locale)),
      minimum: showMoney(zone.minimum_order, currency, locale),
      patterns: patternsOf(zone),
      state: zone.active ? "active" : "inactive",
    })),
  );

const numberIn = (
  zones: readonly NumberedZone[],
  { id }: Readonly<Record<string, unknown>>,
): Html | string => {
  const zone = zones.find((each) => each.id === id);
  return zone === undefined ? "" : numberOf(zone);
};

/** "£4.99, £2.99 from £30.00, free from £50.00". */
function feesOf({ fee_tiers: tiers, free_from: free }: Zone, money: (amount: number) => string): string {
  const all = [...tiers, ...(free === null ? [] : [{ from: free, fee: 0 }])];
  return all
    .map(({ fee, from }) => `${fee === 0 ? "free" : money(fee)}${from === 0 ? "" : ` from ${money(from)}`}`)
    .join(", ");
}

function patternsOf({ area, excludes, patterns }: Zone): string {
  const parts = [
    patterns.length > 0 ? `${patterns.length} included` : "",
    excludes.length > 0 ? `${excludes.length} excluded` : "",
    area === null ? "" : "an area on the map",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

const Match = z.object({ zone: z.object({ id: z.string() }).nullable() });

/** Outcodes by area, each with the zone that the engine finds for it. */
async function drawOutcodes(
  reader: StoreReader,
  zones: readonly NumberedZone[],
  country: string,
): Promise<Html | null> {
  const rows = await reader.list("delivery.outcodes.list", Outcode);
  const active = zones.filter((zone) => zone.active);
  const ids = new Set(active.map(({ id }) => id));
  const groups = groupPatterns(rows.filter(({ zone_id: id }) => ids.has(id)));
  if (groups.length === 0) return null;
  const isHome = active.every((zone) => zone.country === country);
  const zoneOf = async (tile: Tile): Promise<NumberedZone | null> => {
    if (tile.isCode && isHome) {
      const params = { pattern: tile.text };
      const { zone } = await reader.read("delivery.outcodes.get", Match, { params });
      return active.find(({ id }) => id === zone?.id) ?? null;
    }
    // Zones are in the order of their priority.
    return active.find(({ id }) => tile.zoneIds.includes(id)) ?? null;
  };
  let left = TILES_MAX;
  const drawn: Html[] = [];
  for (const { name, tiles } of groups) {
    const shown = tiles.slice(0, left);
    left -= shown.length;
    const cells: Html[] = [];
    for (const tile of shown) cells.push(drawTile(tile, name, await zoneOf(tile)));
    if (shown.length > 0)
      drawn.push(
        html`<h3>${name === "*" ? "Everywhere else" : name}</h3>
          <ul class="tiles">
            ${cells}
          </ul>`,
      );
  }
  const count = groups.reduce((sum, { tiles }) => sum + tiles.length, 0);
  return html`<h2>Outcodes and postcodes</h2>
    <p class="soft">
      Each tile has the number of the zone that delivers there; one with a broken border has none. The most
      specific pattern decides.
    </p>
    ${drawn} ${count > TILES_MAX && html`<p>${count - TILES_MAX} further patterns are not drawn.</p>`}`;
}

function drawTile(tile: Tile, group: string, zone: NumberedZone | null): Html {
  const text = tile.text === group ? (group === "*" ? "All others" : `Other ${group}`) : tile.text;
  return html`<li class="${zone === null ? "none" : ""}">
    <span>${text}</span>
    ${zone === null ? html`<small>no zone</small>` : html`<span class="away">zone</span> ${numberOf(zone)}`}
  </li>`;
}
