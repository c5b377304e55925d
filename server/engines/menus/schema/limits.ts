/** Limits of the engine: everything a customer can create has one. */
export const MENU_LIMITS = {
  menus: 50,
  categories: 500,
  items: 4_000,
  modifierGroups: 1_000,
  modifiers: 4_000,
  schedules: 200,
  priceLevels: 50,
  connections: 20,
  /** Top-level categories of a menu. */
  categoriesPerList: 100,
  /** Reordering all of them must fit into one commit, with three operations each. */
  childrenPerCategory: 50,
  itemsPerCategory: 500,
  menusPerCategory: 20,
  variations: 50,
  groupsPerItem: 30,
  modifiersPerGroup: 100,
  nestedGroups: 10,
  schedulesPerTarget: 10,
  rulesPerSchedule: 50,
  exceptionsPerSchedule: 400,
  calendars: 20,
  daysPerCalendar: 200,
  overridesPerLevel: 1_500,
  locales: 20,
  images: 10,
  /** Levels of categories, and of nested modifier groups. */
  depth: 3,
  /** Categories that one change of a menu can add or remove, in one commit. */
  linksPerChange: 40,
  linesPerOrder: 100,
  /** Counted items and modifiers per order, in one commit. */
  targetsPerOrder: 50,
  selectionsPerLine: 100,
  /** Including defaults: a short request for many items with many defaults would have an answer of many megabytes. */
  modifiersPerOrder: 5_000,
  unitsInStock: 1_000_000,
  /** Operations of a bulk request, in one commit. */
  operations: 50,
} as const;
