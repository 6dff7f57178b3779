// The parts of hyper-express and of uWebSockets beneath it that the transport uses. The packages
// are optional, so their own type declarations cannot be imported.

/** One answer under way; unusable after its end and after `onAborted` was called. */
export interface UwsResponse {
  writeStatus(text: string): UwsResponse;
  /** @returns whether all was taken by the system */
  write(chunk: Uint8Array): boolean;
  end(body: string | Uint8Array, closeConnection?: boolean): UwsResponse;
  endWithoutBody(reportedLength?: number, closeConnection?: boolean): UwsResponse;
  /** @returns whether all was taken by the system, and whether the answer is complete */
  tryEnd(chunk: Uint8Array, totalLength: number): [boolean, boolean];
  getWriteOffset(): number;
  onWritable(handler: (offset: number) => boolean): UwsResponse;
  onAborted(handler: () => void): UwsResponse;
  /** The chunk is gone when the handler returns. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): UwsResponse;
  cork(write: () => void): UwsResponse;
  close(): UwsResponse;
  /** 4 or 16 bytes. */
  getRemoteAddress(): ArrayBuffer;
}

/** Readable only while the route handler runs. */
export interface UwsRequest {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  /** Undefined when the target has no `?`. */
  getQuery(): string | undefined;
  forEach(visit: (name: string, value: string) => void): void;
}

export interface UwsApp {
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  /** `change` is 1 for a connection that opens and -1 for one that has closed. */
  filter(handler: (response: UwsResponse, change: number) => void): UwsApp;
  /** Ends every connection and stops listening. */
  close(): UwsApp;
}

export interface HyperExpressServer {
  readonly uws_instance: UwsApp;
  listen(port: number, host: string): Promise<unknown>;
  close(): boolean;
}

export interface HyperExpress {
  Server: new (options: { auto_close: boolean }) => HyperExpressServer;
}
