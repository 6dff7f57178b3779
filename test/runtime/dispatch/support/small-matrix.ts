// A matrix of healthy fake back-ends, and calls through it.

import * as assert from "uvu/assert";
import { DispatchCall } from "../../../../runtime/dispatch/dispatch-call.js";
import { Matrix } from "../../../../runtime/dispatch/matrix.js";
import { type MatrixConfig, readMatrixConfig } from "../../../../runtime/settings/matrix-config.js";
import { makeDispatch, Owner, PARTIAL } from "./call-owner.js";
import { FakeBackEnd, type FakeRequest } from "./fake-back-end.js";
import type { RequestOptions } from "./make-request.js";

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
    for (const backEnd of this.matrix.all()) backEnd.markUp();
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

  backEnd(partition: number, replica: number): FakeBackEnd {
    return this.backEnds[partition]![replica]!;
  }

  /** A call in flight. */
  begin(path = "/a", options: RequestOptions = {}): { call: DispatchCall; owner: Owner } {
    const owner = new Owner();
    const call = new DispatchCall(this.matrix, makeDispatch(path, options), owner);
    assert.is(call.advance(), true);
    return { call, owner };
  }

  /** Answers a request at this position with its name. */
  async respond(partition: number, replica: number): Promise<FakeRequest> {
    const request = await this.backEnd(partition, replica).next();
    request.respond(200, `p${partition}r${replica}`, PARTIAL);
    return request;
  }

  /** Positions of back-ends that are left out. */
  down(): string[] {
    return [...this.matrix.all()]
      .filter(({ isDown }) => isDown)
      .map(({ position }) => `p${position.partition}r${position.replica}`);
  }

  async close(): Promise<void> {
    this.matrix.close();
    await Promise.all(this.backEnds.flat().map((backEnd) => backEnd.close()));
  }
}
