// Generates recipes: the same ones in every run. Each has a title, a description, and ingredients,
// which also determine its vector.

export const COMPONENTS = 32;

/** Properties of a recipe, as the graph stores them. */
export type Recipe = {
  title: string;
  description: string;
  cuisine: string;
  course: string;
  minutes: number;
};

export interface GeneratedRecipe {
  readonly id: string;
  readonly recipe: Recipe;
  readonly ingredients: readonly string[];
  readonly vector: readonly number[];
}

const INGREDIENTS = list(`
  almond,anchovy,apple,apricot,artichoke,asparagus,aubergine,avocado,bacon,banana,barley,basil,bean,
  beef,beetroot,blueberry,broccoli,butter,cabbage,caper,caramel,cardamom,carrot,cashew,cauliflower,
  celery,cheddar,cherry,chicken,chickpea,chili,chocolate,cilantro,cinnamon,clam,coconut,cod,coffee,
  coriander,corn,courgette,couscous,crab,cranberry,cream,cucumber,cumin,currant,date,dill,duck,egg,
  fennel,feta,fig,garlic,ginger,grape,grapefruit,halloumi,ham,hazelnut,honey,horseradish,kale,lamb,
  leek,lemon,lentil,lime,lobster,mackerel,mango,maple,mint,miso,mozzarella,mushroom,mussel,mustard,
  nutmeg,oat,olive,onion,orange,oregano,oyster,paprika,parmesan,parsley,parsnip,peach,peanut,pear,
  pecan,pepper,pineapple,pistachio,plum,pomegranate,pork,potato,prawn,pumpkin,quinoa,radish,raisin,
  raspberry,rhubarb,rice,ricotta,rosemary,saffron,sage,salmon,sausage,sesame,shallot,spinach,squash,
  strawberry,sultana,tarragon,thyme,tofu,tomato,trout,tuna,turkey,turmeric,vanilla,walnut,
  watercress,yogurt`);
const METHODS = list("baked,braised,chilled,creamy,crispy,fried,grilled,roasted,smoked,spicy,warm");
const DISHES = new Map([
  ["starter", list("soup,salad,dip,broth,carpaccio,fritters,tartlets,skewers,toast,dumplings")],
  ["main", list("curry,stew,pie,risotto,lasagne,casserole,burger,noodles,tagine,stir-fry,gratin")],
  ["dessert", list("cake,crumble,tart,pudding,mousse,sorbet,pancakes,trifle,parfait,brownies")],
  ["snack", list("sandwich,wrap,crackers,muffins,rolls,biscuits,smoothie,flapjacks,pretzels")],
]);
const COURSES = [...DISHES.keys()];
const CUISINES = list(`
  British,Chinese,Ethiopian,French,Greek,Indian,Italian,Japanese,Korean,Lebanese,Mexican,Moroccan,
  Norwegian,Peruvian,Spanish,Thai,Turkish,Vietnamese`);
const VERBS = list("simmer,stir,heat,combine,season,mix,toss,layer,marinate,whisk");
const OCCASIONS = list(`
  a quick lunch,a long evening with friends,a cold winter day,a picnic,the whole family,one person,
  a feast,leftovers,a summer evening,a lazy Sunday morning`);

/** Generates recipes with the ids `recipe 0`, `recipe 1` … */
export function* generateRecipes(count: number): Generator<GeneratedRecipe> {
  const random = createRandom(20);
  const directions = new Map(INGREDIENTS.map((name) => [name, drawDirection(random)]));
  const draw = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  for (let number = 0; number < count; number++) {
    const ingredients = drawDistinct(() => draw(INGREDIENTS), 4 + Math.floor(random() * 4));
    const [first = "", second = "", third = "", ...others] = ingredients;
    const course = draw(COURSES);
    const title = `${draw(METHODS)} ${first} ${draw(DISHES.get(course)!)} with ${second}`;
    const minutes = 10 + 5 * Math.floor(random() ** 2 * 23);
    const description =
      `${capitalize(draw(VERBS))} the ${first} with ${second} and ${third} ` +
      `for ${minutes} minutes. ` +
      `${capitalize(draw(VERBS))} in ${others.join(", ")} at the end. ` +
      `Made for ${draw(OCCASIONS)}.`;
    yield {
      id: `recipe ${number}`,
      recipe: { title: capitalize(title), description, cuisine: draw(CUISINES), course, minutes },
      ingredients,
      vector: addVectors(ingredients.map((name) => directions.get(name)!)),
    };
  }
}

function list(text: string): string[] {
  return text.split(",").map((item) => item.trim());
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function drawDistinct(draw: () => string, count: number): string[] {
  const found = new Set<string>();
  while (found.size < count) found.add(draw());
  return [...found];
}

function drawDirection(random: () => number): number[] {
  return Array.from({ length: COMPONENTS }, () => random() + random() - 1);
}

/** Adds vectors; the first ones weigh most, as the main ingredients of a recipe. */
function addVectors(vectors: readonly (readonly number[])[]): number[] {
  return Array.from({ length: COMPONENTS }, (_, component) =>
    vectors.reduce((sum, vector, at) => sum + vector[component]! / (at + 1), 0),
  );
}

/** Returns a generator of numbers from 0 to 1 that repeats for equal seeds. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
