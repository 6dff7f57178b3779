// Public entry "svc-server/system": the shape of a system descriptor, which says of all instances
// of a system what they are, where they are and how they hang together. Plain data, and one
// function that lets the editor check it; commands read it as JSON, and check the values.

export const INSTANCE_TYPES = [
  "admin",
  "dispatch",
  "builder",
  "txproxy",
  "search",
  "generic",
] as const;

export type InstanceType = (typeof INSTANCE_TYPES)[number];

/** What an instance is; what it leaves out it takes from `common`. */
export interface InstanceParameters {
  /** Admin and generic: anything. Dispatch: a front-end. Builder, txproxy and search: engines. */
  readonly type?: InstanceType;
  /** Order and place in displays; negative: computed. */
  readonly group?: number;
  /** Names of graphs with blanks between them. */
  readonly graph?: string | null;
  /** Host name or address. Default 127.0.0.1. */
  readonly host?: string;
  /** Main port; the admin port is the next one. */
  readonly hport?: number;
  /** All paths answer below this prefix too; the same for all instances. */
  readonly prefix?: string | null;
  /** Whether it starts Service-IN. Default: all but search and txproxy do. */
  readonly "s-in"?: boolean;
  /** Whether it attaches its subscribers when it starts. */
  readonly attach?: boolean;
  /** Port that it takes transactions on; 0 for none. */
  readonly tport?: number;
  /** Whether it keeps a log of the transactions that it takes. */
  readonly durable?: boolean;
  readonly description?: string;
}

/** Which instance provides which others with its changes; ids as a list are leaves. */
export type TransactionTree<Id extends string = string> =
  | readonly (Id | readonly [Id, TransactionTree<Id>])[]
  | { readonly [I in Id]?: TransactionTree<Id> }
  | null;

export interface RowParameters {
  /** Most connections to each back-end, 1 to 127. Default 32. */
  readonly channels?: number;
  /** Cost of one running request, 0 to 127; negative without partitions: parts may lack. */
  readonly priority?: number;
  /** Takes what goes to one replica alone. Default: the first row. */
  readonly primary?: boolean | 0 | 1;
}

export interface DispatchRow<Id extends string = string> extends RowParameters {
  /** One instance for each partition, in the same order in all rows. */
  readonly partitions: readonly Id[];
}

/** What whoever asks instances believes and shows. Paths are relative to the project. */
export interface SystemTls {
  /** File with certificates that sign those of instances. Default: those that Node believes. */
  readonly ca?: string;
  /** What is shown to instances that ask for a certificate, and its key. */
  readonly cert?: string;
  readonly key?: string;
  /** Name in the certificates of instances, where it is not their host. */
  readonly name?: string;
}

export interface SystemDescriptor<Id extends string = string> {
  readonly name?: string;
  /** All graphs of the system. */
  readonly graphs?: readonly string[];
  readonly instances: { readonly [I in Id]: InstanceParameters };
  /** Parameters of the instances that do not say so themselves. */
  readonly common?: InstanceParameters;
  /** Instances speak TLS, each with a certificate of its own (`http.tls`). */
  readonly tls?: boolean | SystemTls | null;
  readonly topology?: {
    readonly transaction?: TransactionTree<NoInfer<Id>>;
    /** The rows of each dispatcher, or its replicas where there is one partition. */
    readonly dispatch?: {
      readonly [I in NoInfer<Id>]?:
        | readonly DispatchRow<NoInfer<Id>>[]
        | { readonly [J in NoInfer<Id>]?: RowParameters };
    };
  };
}

/**
 * Gives a descriptor its types: an id that is no instance is an error in the editor.
 *
 * @param descriptor of the system, which is returned as it is
 * @example
 * export default defineSystem({
 *   instances: { TD: { type: "dispatch", hport: 9990 }, S1: { type: "search", hport: 9100 } },
 *   topology: { dispatch: { TD: [{ partitions: ["S1"] }] } },
 * });
 */
export function defineSystem<const Id extends string>(
  descriptor: SystemDescriptor<Id>,
): SystemDescriptor<Id> {
  return descriptor;
}
