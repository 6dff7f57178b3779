// Mountains of the world: public knowledge, heights in meters. Here, every engine has all of them
// and returns those of its partition; with real data, each would store only its partition.

/** One mountain. */
export interface Mountain {
  readonly name: string;
  /** meters above sea level */
  readonly height: number;
  readonly continent: string;
}

const TABLE = `
Mount Everest 8849 Asia
K2 8611 Asia
Kangchenjunga 8586 Asia
Lhotse 8516 Asia
Makalu 8485 Asia
Cho Oyu 8188 Asia
Dhaulagiri 8167 Asia
Manaslu 8163 Asia
Nanga Parbat 8126 Asia
Annapurna 8091 Asia
Aconcagua 6961 South-America
Denali 6190 North-America
Mount Logan 5959 North-America
Kilimanjaro 5895 Africa
Elbrus 5642 Europe
Pico de Orizaba 5636 North-America
Mount Kenya 5199 Africa
Ararat 5137 Asia
Mount Vinson 4892 Antarctica
Puncak Jaya 4884 Oceania
Mont Blanc 4806 Europe
Matterhorn 4478 Europe
Mount Whitney 4421 North-America
Mauna Kea 4207 Oceania
Toubkal 4167 Africa
Mount Fuji 3776 Asia
Aoraki 3724 Oceania
Zugspitze 2962 Europe
Musala 2925 Europe
Olympus 2917 Europe
Triglav 2864 Europe
Galdhøpiggen 2469 Europe
Mount Kosciuszko 2228 Oceania
Ben Nevis 1345 Europe
`;

export const MOUNTAINS: readonly Mountain[] = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [, name = "", height = "", continent = ""] = /^(.+) (\d+) (\S+)$/.exec(line) ?? [];
    return { name, height: Number(height), continent: continent.replace("-", " ") };
  });
