import { createNewId } from "../../../core/ids.ts";

/** Ids of the demo documents: the same in every run, so that examples and documentation can refer to them. */
export const DEMO_IDS = makeIds();

function makeIds() {
  const clock = { now: () => Date.UTC(2026, 0, 1) };
  // Ids with the same timestamp count upwards from the first one; this makes the first one the same each time.
  const newId = createNewId(clock, { next: () => 0.25, bytes: (count) => new Uint8Array(count) });
  return {
    menus: { late: newId("mnu"), day: newId("mnu") },
    categories: {
      late: newId("cat"),
      cold: newId("cat"),
      coffee: newId("cat"),
      drinks: newId("cat"),
      salads: newId("cat"),
      sandwiches: newId("cat"),
      kitchen: newId("cat"),
      breakfast: newId("cat"),
      pastries: newId("cat"),
      breads: newId("cat"),
    },
    items: {
      rye: newId("itm"),
      baguette: newId("itm"),
      croissant: newId("itm"),
      almondCroissant: newId("itm"),
      cinnamonBun: newId("itm"),
      porridge: newId("itm"),
      eggs: newId("itm"),
      baconRoll: newId("itm"),
      hamSandwich: newId("itm"),
      burger: newId("itm"),
      wings: newId("itm"),
      pizza: newId("itm"),
      soup: newId("itm"),
      salad: newId("itm"),
      espresso: newId("itm"),
      flatWhite: newId("itm"),
      latte: newId("itm"),
      orangeJuice: newId("itm"),
      beer: newId("itm"),
      sourdough: newId("itm"),
    },
    variations: {
      latteLarge: newId("var"),
      sourdoughHalf: newId("var"),
      soupLarge: newId("var"),
    },
    groups: {
      toast: newId("grp"),
      spread: newId("grp"),
      shots: newId("grp"),
      burger: newId("grp"),
      sauces: newId("grp"),
      toppings: newId("grp"),
      milk: newId("grp"),
    },
    modifiers: {
      wholeMilk: newId("mod"),
      soyaMilk: newId("mod"),
      extraShot: newId("mod"),
      syrup: newId("mod"),
      sourdoughToast: newId("mod"),
      ryeToast: newId("mod"),
      butter: newId("mod"),
      jam: newId("mod"),
      cheese: newId("mod"),
      bacon: newId("mod"),
      avocado: newId("mod"),
      noBun: newId("mod"),
      buffalo: newId("mod"),
      barbecue: newId("mod"),
      garlic: newId("mod"),
      lemon: newId("mod"),
      olives: newId("mod"),
      mushrooms: newId("mod"),
      chilli: newId("mod"),
      oatMilk: newId("mod"),
    },
    schedules: { evening: newId("shd"), night: newId("shd"), lunch: newId("shd"), breakfast: newId("shd") },
    priceLevels: { evening: newId("prl"), delivery: newId("prl") },
    publications: { late: newId("pub"), day: newId("pub") },
    calendars: { bankHolidays: newId("cal") },
    connections: { marketplace: newId("con") },
  } as const;
}
