/** Made by hand in the shape in which Open Food Facts gives products out; the codes are nobody's. */
export const oatBiscuits = {
  code: "0000000000017",
  product_name: "Biscuits à l'avoine",
  product_name_en: "Oat biscuits",
  brands: "Nobody",
  quantity: "200 g",
  ingredients_text: "Flocons d'avoine",
  ingredients_text_en:
    "_Oat_ flakes 42%, _wheat_ flour, sugar, butter, raising agent (sodium carbonates), salt",
  allergens_tags: ["en:gluten", "en:milk"],
  traces_tags: ["en:nuts"],
  labels_tags: ["en:vegetarian", "en:green-dot"],
  nutrition_data_per: "100g",
  nutriments: {
    "energy-kj_100g": 2010,
    "energy-kcal_100g": 480,
    fat_100g: 21,
    "saturated-fat_100g": "9.1",
    carbohydrates_100g: 62,
    sugars_100g: 24,
    fiber_100g: 4.4,
    proteins_100g: 7,
    salt_100g: 0.8,
    sodium_100g: 0.32,
    "nova-group": 4,
  },
};

export const pesto = {
  code: "0000000000024",
  product_name: "Basil pesto",
  ingredients_text: "_not_ read",
  ingredients: [
    { id: "en:basil", text: "basil", percent: "38.5", percent_estimate: 38.5 },
    {
      id: "en:cheese",
      text: "cheese",
      ingredients: [
        { id: "en:milk", text: "_milk_" },
        { id: "en:salt", text: "salt" },
      ],
    },
    { id: "en:oil", text: "sunflower oil" },
  ],
  allergens_tags: ["en:milk", "en:cashew-nuts"],
  traces_tags: ["en:milk"],
  labels_tags: ["en:vegan", "en:gluten-free"],
};
