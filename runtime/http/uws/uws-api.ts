// Type declarations of the parts of hyper-express and uWebSockets that the transport uses. The
// packages are optional, so their own declarations cannot be imported.

/** One response; unusable after its end and after `onAborted` was called. */
export interface UwsResponse {
  writeStatus(text: string): UwsResponse;
  /** @returns whether the system accepted all bytes */
  write(chunk: Uint8Array): boolean;
  end(body: string | Uint8Array, closeConnection?: boolean): UwsResponse;
  endWithoutBody(reportedLength?: number, closeConnection?: boolean): UwsResponse;
  /** @returns whether the system accepted all bytes, and whether the response is complete */
  tryEnd(chunk: Uint8Array, totalLength: number): [boolean, boolean];
  getWriteOffset(): number;
  onWritable(handler: (offset: number) => boolean): UwsResponse;
  onAborted(handler: () => void): UwsResponse;
  /** The chunk is only valid within the handler. */
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
  /** Undefined if the target has no `?`. */
  getQuery(): string | undefined;
  forEach(visit: (name: string, value: string) => void): void;
}

export interface UwsApp {
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  /** `change` is 1 for an opened and -1 for a closed connection. */
  filter(handler: (response: UwsResponse, change: number) => void): UwsApp;
  /** Closes every connection and stops listening. */
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
