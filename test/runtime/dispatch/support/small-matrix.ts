// A matrix of fake back-ends that are all in use, as a test begins.

import { Matrix } from "../../../../runtime/dispatch/matrix.js";
import { type MatrixConfig, readMatrixConfig } from "../../../../runtime/settings/matrix-config.js";
import { FakeBackEnd } from "./fake-back-end.js";

export class SmallMatrix {
  readonly config: MatrixConfig;
  readonly matrix: Matrix;

  private constructor(
    /** By partition, then replica. */
    readonly backEnds: readonly (readonly FakeBackEnd[])[],
    row: object,
    options: object,
  ) {
    const partitions = backEnds.map((replicas) => replicas.map(({ address }) => address));
    const replicas = backEnds[0]!.map(() => row);
    this.config = readMatrixConfig({ partitions, replicas, options });
    this.matrix = new Matrix(this.config);
    for (const backEnd of this.matrix.all()) backEnd.revive();
  }

  static async start(
    width: number,
    height: number,
    row: object = {},
    options: object = {},
  ): Promise<SmallMatrix> {
    const backEnds: FakeBackEnd[][] = [];
    for (let partition = 0; partition < width; partition++) {
      const column = Array.from({ length: height }, () => FakeBackEnd.start());
      backEnds.push(await Promise.all(column));
    }
    return new SmallMatrix(backEnds, row, options);
  }

  at(partition: number, replica: number): FakeBackEnd {
    return this.backEnds[partition]![replica]!;
  }

  async close(): Promise<void> {
    this.matrix.close();
    await Promise.all(this.backEnds.flat().map((backEnd) => backEnd.close()));
  }
}
