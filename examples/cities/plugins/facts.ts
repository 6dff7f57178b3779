// Cities of the world with their populations: public knowledge, rounded.

const TABLE = `
Tokyo JP 14000000
Osaka JP 2700000
Delhi IN 16800000
Mumbai IN 12500000
Shanghai CN 24900000
Beijing CN 21900000
Cairo EG 10000000
Lagos NG 15400000
Nairobi KE 4400000
London GB 8900000
Birmingham GB 1140000
Paris FR 2100000
Berlin DE 3700000
Hamburg DE 1850000
Madrid ES 3300000
Rome IT 2800000
Oslo NO 718000
Bergen NO 290000
Lima PE 10100000
Bogotá CO 7700000
Santiago CL 6300000
Toronto CA 2800000
Chicago US 2700000
Sydney AU 5300000
`;

export interface City {
  readonly name: string;
  /** two-letter code, such as NO */
  readonly country: string;
  readonly population: number;
}

export const CITIES: readonly City[] = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [name = "", country = "", population = ""] = line.split(" ");
    return { name, country, population: Number(population) };
  });
