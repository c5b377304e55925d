import { DEMO_SHOP } from "../../core/shop.ts";
import { defineEngine, seedSets } from "../../core/engine.ts";
import { menuEvents } from "./data/events.ts";
import { demoMenus } from "./demo.ts";
import { pushConnections, renewConnections, startVersions, sweepStock } from "./jobs.ts";
import {
  calendars,
  categories,
  connections,
  connectionSecrets,
  items,
  menus as menuDocs,
  modifierGroups,
  modifiers,
  priceLevels,
  publications,
  schedules,
  menuSettings,
  stocks,
  versionChunks,
  versions,
} from "./repository.ts";
import { menuAnswers } from "./routes/allergens-of-item.ts";
import { calendarRoutes } from "./routes/calendars.ts";
import { categoryRoutes } from "./routes/categories.ts";
import { commitRoutes } from "./routes/commit.ts";
import { connectionRoutes } from "./routes/connections.ts";
import { itemRoutes } from "./routes/items.ts";
import { liveRoutes } from "./routes/live.ts";
import { menuRoutes } from "./routes/menus.ts";
import { modifierGroupRoutes } from "./routes/modifier-groups.ts";
import { modifierRoutes } from "./routes/modifiers.ts";
import { priceLevelRoutes } from "./routes/price-levels.ts";
import { priceRoutes } from "./routes/price.ts";
import { publishingRoutes } from "./routes/publishing.ts";
import { reorderRoutes } from "./routes/reorder.ts";
import { scheduleRoutes } from "./routes/schedules.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { stockRoutes } from "./routes/stock.ts";
import { transferRoutes } from "./routes/transfer.ts";
import { versionRoutes } from "./routes/versions.ts";
import { menuStates } from "./rules/publication.ts";

export const menus = defineEngine({
  name: "menus",
  summary: "Menus with their categories, items, modifiers, prices, schedules, stock and versions",
  routes: [
    ...categoryRoutes,
    ...reorderRoutes,
    ...menuRoutes,
    ...liveRoutes,
    ...publishingRoutes,
    ...versionRoutes,
    ...itemRoutes,
    ...modifierGroupRoutes,
    ...modifierRoutes,
    ...scheduleRoutes,
    ...calendarRoutes,
    ...priceLevelRoutes,
    ...stockRoutes,
    ...priceRoutes,
    ...commitRoutes,
    ...settingsRoutes,
    ...transferRoutes,
    ...connectionRoutes,
  ],
  jobs: [startVersions, pushConnections, renewConnections, sweepStock],
  answers: menuAnswers,
  states: [menuStates],
  events: menuEvents,
  seed: (now) => {
    const demo = demoMenus(now);
    return [
      menuSettings.seed(DEMO_SHOP, demo.settings),
      ...seedSets(demo, {
        calendars,
        schedules,
        modifiers,
        modifier_groups: modifierGroups,
        items,
        categories,
        price_levels: priceLevels,
        stock: stocks,
        chunks: versionChunks,
        versions,
        publications,
        connections,
        connectionSecrets,
        // Last: from here on storefronts see it.
        menus: menuDocs,
      }),
    ];
  },
});
