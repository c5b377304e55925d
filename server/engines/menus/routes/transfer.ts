import { exportMenu } from "./transfer-export.ts";
import { importMenus } from "./transfer-import.ts";
import { menuJsonLd } from "./transfer-json-ld.ts";

export const transferRoutes = [importMenus, exportMenu, menuJsonLd];
